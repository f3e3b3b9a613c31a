import type { Menu } from '../contract/command.ts';
import { serverMenu } from '../resources/server.ts';

export const serverCommands: Menu = { ...serverMenu };
