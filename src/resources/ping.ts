import { flag, integer, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { record } from '../contract/record.ts';
import { one } from '../contract/reply.ts';

const Caller = record(
  'caller',
  {
    ok: flag('Whether the token is accepted.'),
    user_id: integer('Id of the user.'),
    user_name: text('Name or e-mail address of the user.'),
    account_id: integer('Id of the account.'),
    account_name: text('Name of the account.'),
  },
  ['user_id', 'user_name', 'account_name'],
);

export const pings = {
  auth: operation('GET /ping/auth', {
    scope: 'unknown',
    about: 'Show whose token it is.',
    params: {},
    reply: one(Caller),
    outside: true,
    withheld: 'Only read to show whose token is in use.',
  }),
};
