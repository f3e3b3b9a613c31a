import type { Menu } from '../contract/command.ts';

export const apiMenu: Menu = {};
