import { customCommand } from '../../builders/custom-command.ts';
import type { Menu } from '../../contract/command.ts';
import { flag, optional } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';

const mcpCommand = customCommand({
  moreEffects: ['reads_service', 'reads_machine', 'runs_program'],
  about: 'Serve commands to clients of the Model Context Protocol (MCP), on stdin and stdout.',
  params: {
    stack_id: optional(stackParam),
    allow_writes: optional(
      flag('Offer changes, too. Each is planned and shown first.', { effects: ['changes_service'] }),
    ),
  },
  examples: ['stackops mcp', 'stackops mcp --allow-writes -s shop'],
  calls: [],
  showsSeveral: true,
  run: async ({ host, note, audience }, { allow_writes }) => {
    if (audience.terminal) note('Waiting for a client on stdin. docs/agents.md shows how a client starts it.');
    return host.serve(allow_writes ?? false);
  },
  present: () => ({ kind: 'nothing' }),
});

/** The stacks of `-s` are looked up by each call, not here, so that the server starts without the service. */
export const mcpCommands: Menu = { mcp: { ...mcpCommand, targets: { ...mcpCommand.targets, stacks: 'several' } } };
