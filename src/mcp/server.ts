import {
  deserializeMessage,
  fromJsonSchema,
  INVALID_REQUEST,
  McpServer,
  PARSE_ERROR,
  type ServerContext,
  type ToolAnnotations,
  type Transport,
} from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { text as skill } from '../../skills/stackops/SKILL.md';
import type { ServedCall } from '../cli/app.ts';
import { type GlobalOption, globalOptions, type Options } from '../cli/arguments/options.ts';
import type { RawHost } from '../cli/host.ts';
import { asObject } from '../contract/values/json.ts';
import { isPattern } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { writeJson } from '../json/write.ts';
import { type CallHost, runCall } from './call.ts';
import { createPlanTools, type PlanHost, type RunCall, type RunTool, type ToolInput } from './plans.ts';

interface ServerHost extends CallHost, PlanHost, Pick<RawHost, 'version' | 'pieces' | 'withSignalHandler'> {
  readonly print: (text: string) => Promise<void>;
}

interface ServerOptions extends Pick<ServedCall, 'stacks'> {
  readonly allowsWrites: boolean;
  readonly isSandbox: boolean;
  readonly typed: Options;
}

const maxConcurrentCalls = 4;

/** Serves one client until stdin ends or a signal arrives. Calls in progress then end within two seconds. */
export async function serve(host: ServerHost, options: ServerOptions): Promise<void> {
  const { allowsWrites, isSandbox, stacks, typed } = options;
  const pattern = stacks.find(isPattern);
  if (pattern !== undefined) throw new CliError('usage', `"mcp" needs exact names of stacks, not "${pattern}"`);
  const startOptions = sharedOptions(typed);
  const endController = new AbortController();
  const pendingCalls = new Set<Promise<unknown>>();
  const runLimited: RunCall = async (call, { mcpReq }) => {
    while (pendingCalls.size >= maxConcurrentCalls) await Promise.race(pendingCalls);
    mcpReq.signal.throwIfAborted();
    const control = { cancelSignal: mcpReq.signal, endSignal: endController.signal, progress: progressSender(mcpReq) };
    const callResult = runCall(host, { ...call, stacks, start: startOptions }, control);
    const settled: Promise<unknown> = callResult.catch(() => undefined).finally(() => pendingCalls.delete(settled));
    pendingCalls.add(settled);
    return callResult;
  };
  const skills = await SkillsExtension.load(memorySkillFiles({ 'stackops/SKILL.md': skill }));
  const tools = Object.entries(createTools(runLimited, host)).filter(([name]) => allowsWrites || name !== 'change');
  const { transport, read } = createLineTransport(host);
  const createServer = () => {
    const notice = isSandbox ? sandboxNotice : '';
    const server = new McpServer({ name: 'stackops', version: host.version }, { instructions: notice + instructions });
    for (const [name, tool] of tools) registerTool(server, name, tool);
    for (const topic of ['agents', 'exit-codes']) offerHelp(server, topic, runLimited);
    skills.attach(server);
    return server;
  };
  await host.withSignalHandler(
    () => endController.abort(),
    async () => {
      const connection = serveStdio(createServer, { transport });
      const whenStopped = new Promise((resolve) => endController.signal.addEventListener('abort', resolve));
      await Promise.race([read(), whenStopped]);
      endController.abort();
      await connection.close();
      await Promise.all(pendingCalls);
    },
  );
}

function sharedOptions(options: Options): Options {
  const isShared = ({ name, group }: GlobalOption) => group === 'connection' || /^(account|server_group)$/.test(name);
  return Object.fromEntries(globalOptions.filter(isShared).map(({ name }) => [name, options[name]]));
}

interface Tool {
  readonly description: string;
  readonly input: Readonly<Record<string, object>>;
  /** Hints for the client. The default is `readOnlyHints`. */
  readonly annotations?: ToolAnnotations;
  readonly run: RunTool;
}

const sandboxNotice = 'This server works with the sandbox, a practice service: nothing in it is real.\n';
const instructions = [
  'Find the command with the tool commands: without words all of them, with words one command or group.',
  'Read narrowly: --fields, --where and --limit keep answers short.',
  'Plan every change before you make it, and change only what was planned, with the same argv.',
  'Show the person the plan, and let them decide.',
  'After exit code 11 the outcome is unknown: check it before you repeat a change.',
].join('\n');

const wordSchema = { type: 'string', maxLength: 4096 };
const nameSchema = { ...wordSchema, description: 'Name that the person typed, if the change asks for one' };
const wordListSchema = { type: 'array', items: wordSchema, maxItems: 40 };
const argvSchema = {
  ...wordListSchema,
  minItems: 1,
  description: 'Words after stackops, without a shell: ["variant","list","-s","shop"]',
};

const answerSchema = fromJsonSchema({
  type: 'object',
  properties: {
    exit_code: { type: 'integer' },
    data: {},
    error: { type: 'object' },
    notes: { type: 'array', items: { type: 'string' } },
    undo: { type: 'string' },
    truncated: { type: 'boolean' },
  },
  required: ['exit_code'],
});

type ToolName = Exclude<ServedCall['tool'], 'help'>;

function createTools(run: RunCall, host: PlanHost): Readonly<Record<ToolName, Tool>> {
  const { plan, change } = createPlanTools(run, host);
  const runTool = async (tool: 'commands' | 'read', argv: readonly string[], context: ServerContext) =>
    (await run({ tool, argv, reference: host.reference() }, context)).answer;
  return {
    commands: {
      description: 'Describe the commands: all in brief, or those that WORDS name in full.',
      input: { words: { ...wordListSchema, description: 'A command or a group: ["variant","weight"]' } },
      run: ({ words = [] }, context) =>
        runTool('commands', ['commands', ...(words.length > 0 ? words : ['--brief'])], context),
    },
    read: {
      description: 'Run a command that only reads. Secrets are masked.',
      input: { argv: argvSchema },
      run: ({ argv }, context) => runTool('read', argv, context),
    },
    plan: {
      description: 'Check a change and show its requests; nothing is sent.',
      input: { argv: argvSchema },
      run: plan,
    },
    change: {
      description: 'Make a change that was planned with the same argv in the last 10 minutes, and wait for its result.',
      input: { argv: argvSchema, confirm: nameSchema },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      run: change,
    },
  };
}

const readOnlyHints: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
const successExitCodes: readonly number[] = [0, 9, 10];

function registerTool(server: McpServer, name: string, tool: Tool): void {
  const { description, input, annotations = readOnlyHints, run } = tool;
  const required = 'argv' in input ? ['argv'] : [];
  const schema = { type: 'object', properties: input, required, additionalProperties: false };
  const schemas = { inputSchema: fromJsonSchema<ToolInput>(schema), outputSchema: answerSchema };
  server.registerTool(name, { description, annotations, ...schemas }, async (toolInput, context) => {
    const answer = await run(toolInput, context);
    return {
      content: [{ type: 'text', text: writeJson(answer, { escapeControls: true }) }],
      structuredContent: { ...answer },
      isError: !successExitCodes.includes(answer.exit_code),
    };
  });
}

function offerHelp(server: McpServer, topic: string, run: RunCall): void {
  const uri = `stackops://help/${topic}`;
  server.registerResource(topic, uri, { mimeType: 'text/plain' }, async (_, context) => {
    const { answer } = await run({ tool: 'help', argv: ['help', topic], reference: '' }, context);
    return { contents: [{ uri, mimeType: 'text/plain', text: String(answer.data) }] };
  });
}

function progressSender({ _meta, notify }: ServerContext['mcpReq']): ((line: string) => void) | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (message) => {
    progress += 1;
    notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => undefined);
  };
}

/** Maximum size of a line. A longer line is refused and not kept in memory. */
const maxLineBytes = 1024 * 1024;

function createLineTransport({ pieces, print }: ServerHost) {
  // Control characters are written as escapes, because a client may show the line.
  const write = (message: unknown) => print(`${writeJson(message, { escapeControls: true })}\n`);
  const sendError = (code: number, message: string, id?: unknown) =>
    write({ jsonrpc: '2.0', id, error: { code, message } });
  const transport: Transport = { start: async () => {}, send: write, close: async () => transport.onclose?.() };

  // Reads stdin to its end, and answers an invalid line with an error.
  async function read(): Promise<void> {
    for await (const line of linesOf(pieces())) {
      if (line === undefined) await sendError(INVALID_REQUEST, `a line has more than ${maxLineBytes / 1024} KiB`);
      else if (line.trim() !== '') await handleLine(line);
    }
  }

  async function handleLine(line: string): Promise<void> {
    let value: unknown;
    try {
      value = JSON.parse(line);
      transport.onmessage?.(deserializeMessage(line));
    } catch {
      // No JSON text has the value `undefined`.
      if (value === undefined) return sendError(PARSE_ERROR, 'the line is no JSON');
      const { id } = asObject(value);
      const isValidId = typeof id === 'string' || typeof id === 'number';
      await sendError(INVALID_REQUEST, 'no JSON-RPC message', isValidId ? id : undefined);
    }
  }
  return { transport, read };
}

/** Yields each line; undefined for a line that is too long. */
async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string | undefined> {
  let heldPieces: Uint8Array[] = [];
  let lineBytes = 0;
  for await (const piece of pieces) {
    let rest = piece;
    for (let lineEnd = rest.indexOf(10); lineEnd >= 0; lineEnd = rest.indexOf(10)) {
      const linePieces = [...heldPieces, rest.subarray(0, lineEnd)];
      yield lineBytes + lineEnd > maxLineBytes ? undefined : Buffer.concat(linePieces).toString('utf8');
      [heldPieces, lineBytes, rest] = [[], 0, rest.subarray(lineEnd + 1)];
    }
    lineBytes += rest.length;
    if (lineBytes <= maxLineBytes) heldPieces.push(rest);
    else heldPieces = [];
  }
}
