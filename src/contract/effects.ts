/** The meaning of each effect of a command or a flag. Descriptions list effects in this order. */
export const effectMeanings = {
  reads_service: 'reads from the service',
  changes_service: 'changes the service or its servers',
  reads_machine: 'reads settings, tokens or records of this machine',
  changes_machine: 'changes settings, tokens or records of this machine',
  reads_file: 'reads a file that an argument names',
  writes_file: 'writes a file',
  runs_program: 'runs a program, here or on a server',
  prints_secret: 'prints a secret, or passes it to a program',
};

export type CommandEffect = keyof typeof effectMeanings;
