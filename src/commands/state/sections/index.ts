import type { FileSection } from '../section.ts';
import { envSection } from './env.ts';
import { processesSection } from './processes.ts';
import { serversSection } from './servers.ts';
import { settingsSection } from './settings.ts';
import { tagsSection } from './tags.ts';

/** All sections, in the order in which a plan shows them. */
export const fileSections: readonly FileSection[] = [
  envSection,
  settingsSection,
  serversSection,
  tagsSection,
  processesSection,
];
