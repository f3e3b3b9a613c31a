import type { Section } from '../section.ts';
import { envSection } from './env.ts';
import { settingsSection } from './settings.ts';

/** In the order in which a plan shows them. */
export const sections: readonly Section[] = [envSection, settingsSection];
