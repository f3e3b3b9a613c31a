import type { Menu } from '../contract/command.ts';
import { userMenu } from '../resources/user.ts';

export const userCommands: Menu = { ...userMenu };
