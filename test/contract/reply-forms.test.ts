import { describe, expect, test } from 'vitest';
import { fuzzed, fuzzing } from '../support/property.ts';
import { type Form, forms, runInForm, type Truth } from '../support/reply-forms.ts';
import { type Write, writes } from '../support/writes.ts';

/**
 * Every write against every form in which the service is known to answer: the words may differ, the truth may not. What
 * became of a write is asked of the service itself, before and after.
 */
const fails = (form: Form) => form.includes('fail');
/** Nothing that is listed shows these. */
const isSeen = ({ words }: Write) => !/reboot|otp/.test(words.join(' '));
/** Of these nothing but the action shows the end, and a service of old clients does not name it. */
const isUnseenInLegacy = ({ words }: Write) => /regenerate-password|cluster reboot/.test(words.join(' '));

const goesOn = ({ stdout }: Truth) => /queued|accepted|"finished_at":null/i.test(stdout);

function expectTruth(
  write: Write,
  form: Form,
  { alone, waited }: { readonly alone: Truth; readonly waited: Truth },
): void {
  expect(alone.code, alone.stderr).toBe(0);
  for (const truth of [alone, waited]) {
    const saysDone = truth.code === 0 && !goesOn(truth);
    if (saysDone && isSeen(write)) expect(truth.isChanged, truth.stdout).toBe(true);
    if (truth.code === 9) expect(fails(form), truth.stderr).toBe(true);
  }
  const isAwaited = goesOn(alone) && !write.words.includes('--detach');
  expect(waited.code, waited.stderr).toBe(isAwaited ? endOf(write, form) : 0);
  if (isAwaited) expect(goesOn(waited), waited.stdout).toBe(waited.code === 8);
}

/** What --wait ends with where something goes on. */
function endOf(write: Write, form: Form): number {
  const isLegacy = form.startsWith('legacy');
  if (isLegacy && isUnseenInLegacy(write)) return 8;
  if (!fails(form)) return 0;
  // Deployments and reboots are found by themselves; of anything else nothing tells that it will not come any more.
  return isLegacy && !/deploy|restart|reboot/.test(write.words.join(' ')) ? 8 : 9;
}

const cases = (chosen: readonly Write[]) =>
  chosen.flatMap((write) =>
    (Object.keys(forms) as Form[]).map((form) => ({ name: write.words.join(' '), write, form })),
  );

async function meet({ write, form }: { readonly write: Write; readonly form: Form }): Promise<void> {
  const alone = await runInForm(write, form);
  const waited = await runInForm(write, form, ['--wait']);
  expectTruth(write, form, { alone, waited });
}

/** One of each kind that differs by form. */
const kinds = [
  'stack env set LOG_LEVEL',
  'stack env unset',
  'stack settings set',
  'server reboot',
  'redeploy',
  'deployment cancel',
  'variant weight',
  'variant commit',
  'variant delete',
  'process scale',
  'db user regenerate',
  'backup create',
  'api PUT',
];
const oneOfEach = writes.filter(({ words }) => kinds.some((kind) => words.join(' ').startsWith(kind)));

test('there is one write of each kind', () => expect(oneOfEach).toHaveLength(kinds.length));

describe(fuzzing ? 'every write' : 'one write of each kind', () => {
  test.each(cases(fuzzing ? writes : oneOfEach))('$form: $name', fuzzed, meet);
});

test.each(Object.keys(forms) as Form[])('%s: a change is called queued in JSON where it is', async (form) => {
  const isQueued = form.startsWith('actions');
  for (const write of oneOfEach.filter(({ words }) => /env|variant/.test(words.slice(0, 2).join(' ')))) {
    const { stdout } = await runInForm(write, form, ['--json']);
    const [row] = [JSON.parse(stdout)].flat();
    if (isQueued) expect(row).toMatchObject({ change: 'queued', action: { id: 812, started_via: 'api' } });
    else expect([row.change === 'queued', row.action]).toEqual([false, null]);
  }
});
