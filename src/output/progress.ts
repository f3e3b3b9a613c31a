import type { Ora } from 'ora';
import type { Stderr } from './safe/create-output.ts';
import { cutToWidth } from './table/cell-width.ts';

/** The label of some work, or a function that returns the current label, for work whose label changes. */
export type Label = string | (() => string);

export interface Progress {
  /** Shows the label while the work runs. Returns the value of the work, or throws its error. */
  during<T>(label: Label, work: () => Promise<T>): Promise<T>;
  pause(): void;
  resume(): void;
  /** Clears the line and shows nothing more. May be called in a signal handler. */
  stop(): void;
}

interface ProgressOptions {
  /** True if a line can be redrawn. False on a narrow terminal, where ora would hang or clear too much. */
  readonly terminal: boolean;
  readonly colour: boolean;
  readonly quiet: boolean;
  readonly json?: boolean;
  /** Read only when something is shown, because reading it makes Node create the stream. */
  readonly err: Stderr;
  readonly delayMs?: number;
  readonly heartbeatMs?: number;
}

export async function withoutProgress<Value>(progress: Progress, work: () => Promise<Value>): Promise<Value> {
  progress.pause();
  try {
    return await work();
  } finally {
    progress.resume();
  }
}

/** Creates progress that is shown as a spinner if a line can be redrawn, else as a line a minute; not with `quiet`. */
export function createProgress(options: ProgressOptions): Progress {
  if (options.quiet) return createProgressWith({ start: doNothing, stop: doNothing });
  return createProgressWith(options.terminal ? createSpinner(options) : createHeartbeat(options));
}

/** Shows a label from `start` to `stop`. Both methods may be called repeatedly. */
type Indicator = { start(label: () => string): void; stop(): void };

function createProgressWith(indicator: Indicator): Progress {
  const activeLabels = new Set<{ readonly label: Label }>();
  let isPaused = false;
  const refresh = () => {
    const labels = [...activeLabels].map(({ label }) => label);
    // A label that changes stays visible, even while work within that work, such as a request, has its own label.
    const label = labels.findLast((one) => typeof one === 'function') ?? labels.at(-1);
    if (label === undefined || isPaused) indicator.stop();
    else indicator.start(typeof label === 'function' ? label : () => label);
  };
  const setPaused = (shouldPause: boolean) => {
    isPaused = shouldPause;
    refresh();
  };
  return {
    async during(label, work) {
      const activeLabel = { label };
      activeLabels.add(activeLabel);
      refresh();
      try {
        return await work();
      } finally {
        activeLabels.delete(activeLabel);
        refresh();
      }
    },
    pause: () => setPaused(true),
    resume: () => setPaused(false),
    stop: () => {
      activeLabels.clear();
      setPaused(true);
    },
  };
}

function createSpinner(options: ProgressOptions): Indicator {
  const { err, colour, delayMs = 300 } = options;
  let getLabel: (() => string) | undefined;
  let delayTimer: NodeJS.Timeout | undefined;
  let refreshTimer: NodeJS.Timeout | undefined;
  let spinner: Ora | undefined;
  const spinnerText = () => cutToWidth(err.visible(getLabel?.() ?? ''), Math.max(err.width - 3, 1));
  const refresh = () => {
    if (spinner) spinner.text = spinnerText();
  };
  const showSpinner = async () => {
    const { default: ora } = await import('ora');
    if (getLabel === undefined || spinner) return;
    spinner = ora({
      text: spinnerText(),
      stream: err.raw,
      color: colour ? 'cyan' : false,
      isEnabled: true,
      // With `discardStdin`, ora 9 would swallow Ctrl-C.
      discardStdin: false,
      // The cursor stays visible, because a hidden one would have to be restored after a signal.
      hideCursor: false,
    }).start();
    refreshTimer = setInterval(refresh, 1000).unref();
  };
  return {
    start(newLabel) {
      getLabel = newLabel;
      refresh();
      delayTimer ??= setTimeout(() => showSpinner().catch(doNothing), delayMs).unref();
    },
    stop() {
      clearTimeout(delayTimer);
      clearInterval(refreshTimer);
      spinner?.stop();
      getLabel = delayTimer = refreshTimer = spinner = undefined;
    },
  };
}

function createHeartbeat(options: ProgressOptions): Indicator {
  const { heartbeatMs = 60_000 } = options;
  let getLabel = () => '';
  let timer: NodeJS.Timeout | undefined;
  return {
    start(newLabel) {
      getLabel = newLabel;
      let beatCount = 0;
      timer ??= setInterval(() => {
        beatCount += 1;
        const text = `${getLabel()}: ${Math.round((beatCount * heartbeatMs) / 1000)} s so far`;
        void writeStderrLine(options.err, 'progress', text, options.json ?? false);
      }, heartbeatMs).unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}

function doNothing(): void {}

type LineKind = 'note' | 'warning' | 'progress';

/** Prints a line on stderr. With `json`, prints `{"warning":"…"}` for programs that read stderr as JSON. */
export async function writeStderrLine(err: Stderr, kind: LineKind, text: string, json: boolean): Promise<void> {
  if (json) return err.json({ [kind]: text });
  return err.lines([kind === 'warning' ? { label: 'warning:', text } : text]);
}
