import type { Context, Menu } from '../../contract/command.ts';
import { nullable, oneOf, text } from '../../contract/field.ts';
import { record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { findFolders } from '../../files/folders.ts';
import { local } from '../../kinds/local.ts';
import { Problem } from '../../problems/problem.ts';
import type { Services } from '../services.ts';
import { examineAccess } from './access.ts';
import { type DoctorServices, examined, type Finding, type Surgery } from './check.ts';
import { completionVerdict } from './completion.ts';
import { examineMachine } from './machine.ts';
import { examineNetwork } from './network.ts';

const FindingRecord = record(
  'check',
  {
    check: text('What was looked at.'),
    state: oneOf(['ok', 'warning', 'problem', 'skipped'], 'How it is.'),
    found: text('What was found.'),
    repair: nullable(text('The command or sentence that repairs it.')),
  },
  ['check', 'state', 'found'],
);

/** The single word `doctor`. */
export function doctorCommands(services: Services, doctor: DoctorServices): Menu {
  return {
    doctor: local({
      about: 'Check versions, files, address, token, proxy, TLS, clock and port; tell the repair of each.',
      params: {},
      examples: ['stackops doctor', 'stackops doctor --json'],
      exits: [[1, 'a problem was found']],
      reply: rows(FindingRecord),
      run: async (context) => verdictOn(await examine(context, services, doctor)),
      present: (findings) => ({
        kind: 'table',
        record: FindingRecord,
        rows: findings.map((finding) => ({ ...finding })),
        below: repairsOf(findings),
      }),
    }),
  };
}

/** Looks and changes nothing. */
async function examine(context: Context, services: Services, doctor: DoctorServices): Promise<readonly Finding[]> {
  // Not those of the session, which goes without them where they are broken.
  const surgery: Surgery = { context, services, doctor, folders: findFolders(services.env) };
  const machine = await examineMachine(surgery);
  const access = await examineAccess(surgery);
  const completion = await examined('completion', () => completionVerdict(services.env));
  return [...machine, completion, ...access.findings, ...(await examineNetwork(surgery, access))];
}

function repairsOf(findings: readonly Finding[]): readonly string[] {
  return findings.flatMap(({ check, repair }) => (repair ? [`repair of ${check}: ${repair}`] : []));
}

/** The findings, when none of them is a problem; else thrown with them. */
function verdictOn(findings: readonly Finding[]): readonly Finding[] {
  const problems = findings.filter(({ state }) => state === 'problem');
  if (problems.length === 0) return findings;
  const list = problems.map(({ check, found }) => `${check}: ${found}`).join('; ');
  throw new Problem(
    'operation_failed',
    `${problems.length === 1 ? '1 problem' : `${problems.length} problems`}: ${list}`,
    {
      exitCode: 1,
      partial: { value: findings },
    },
  );
}
