import type { Menu } from '../contract/command.ts';
import { backupMenu } from '../resources/backup.ts';
import type { Services } from './services.ts';

export function backupCommands(_services: Services): Menu {
  return { ...backupMenu };
}
