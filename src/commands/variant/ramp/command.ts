import { customCommand } from '../../../builders/custom-command.ts';
import type { Menu } from '../../../contract/command.ts';
import { one } from '../../../contract/reply.ts';
import { deployments } from '../../../resources/deployment.ts';
import { variants } from '../../../resources/variant.ts';
import { type RampInput, rampParams } from './options.ts';
import { RampEvent } from './report.ts';

export const rampCommands: Menu = {
  'variant ramp': customCommand({
    moreEffects: ['reads_machine', 'changes_machine'],
    about: "Raise a canary's share in steps while checks are good.",
    params: rampParams,
    positionals: ['id'],
    examples: ['stackops variant ramp --steps 25,50,100 --every 10m --check ./health.sh -s shop -n'],
    calls: [variants.list, deployments.list, variants.update],
    changes: ({ status }) => !status,
    output: { kind: 'change', reply: one(RampEvent), events: true },
    wait: 'its own limits',
    exits: [
      [3, 'not found or ambiguous: stack, variant, ramp'],
      [8, 'paused'],
      [9, 'a check failed, or it was aborted'],
    ],
    confirm: { level: 'yes', act: 'Ramp variant' },
    run: async (context, input) => (await import('./start.ts')).startRamp(context, input as RampInput),
    present: ({ summary }) => ({ kind: 'done', ...summary }),
  }),
};
