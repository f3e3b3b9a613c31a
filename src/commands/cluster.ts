import type { Menu } from '../contract/command.ts';
import { clusterMenu } from '../resources/cluster.ts';

export const clusterCommands: Menu = { ...clusterMenu };
