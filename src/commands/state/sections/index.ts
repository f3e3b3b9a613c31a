import type { FileSection } from '../section.ts';
import { envSection } from './env.ts';
import { settingsSection } from './settings.ts';

/** In the order in which a plan shows them. */
export const fileSections: readonly FileSection[] = [envSection, settingsSection];
