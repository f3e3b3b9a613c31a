import type { Menu } from '../contract/command.ts';
import { processMenu } from '../resources/process.ts';

export const processCommands: Menu = { ...processMenu };
