/** What a sandbox may begin with instead of a quiet day. */
export const scenarioNames = ['incident'] as const;
export type ScenarioName = (typeof scenarioNames)[number];
