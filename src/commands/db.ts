import type { Menu } from '../contract/command.ts';
import { databaseMenu } from '../resources/database.ts';
import { databaseUserMenu } from '../resources/database-user.ts';

export const dbMenu: Menu = { ...databaseMenu, ...databaseUserMenu };
