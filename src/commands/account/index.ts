import { call } from '../../builders/call.ts';
import type { Menu } from '../../contract/command.ts';
import { accounts } from '../../resources/account.ts';

export const accountCommands = {
  'account list': call(accounts.list, { examples: ['stackops account list'] }),
  'account get': call(accounts.get, {
    positionals: ['id'],
    examples: ['stackops account get', 'stackops account get 42 --include-servers --json'],
  }),
  'account otp': call(accounts.otp, {
    examples: ['stackops account otp'],
    output: { kind: 'value', reply: accounts.otp.reply },
    revealed: ['otp'],
    present: ({ otp }) => ({ kind: 'value', text: otp }),
  }),
} satisfies Menu;
