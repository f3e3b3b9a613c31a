import { sizeText } from '../../contract/values/text.ts';
import type { Stderr } from '../safe/create-output.ts';
import { cutToWidth } from './cell-width.ts';

interface TransferState {
  readonly label: string;
  readonly total: number | undefined;
  readonly startMs: number;
  done: number;
  lastDrawMs: number;
}

interface TransferOptions {
  readonly terminal: boolean;
  readonly err: Pick<Stderr, 'width' | 'redraw' | 'visible'>;
  readonly clock: () => number;
}

const redrawIntervalMs = 100;
const barWidth = 20;

/** Creates the line `[#####...............] 25 %  1.0 of 4.2 MiB  3.1 MiB/s`, redrawn at most ten times a second. */
export function createTransferProgress({ terminal, err, clock }: TransferOptions) {
  let transfer: TransferState | undefined;
  const draw = (state: TransferState, now: number): void => {
    state.lastDrawMs = now;
    void err.redraw(transferLine(state, now - state.startMs, err.width - 1));
  };
  return {
    /** Begins the line of a transfer. `bytes` is undefined if the size is unknown. */
    begin(label: string, bytes: number | undefined) {
      if (!terminal || err.width < 20) return;
      const now = clock();
      transfer = { label: err.visible(label), total: bytes, startMs: now, done: 0, lastDrawMs: now };
      draw(transfer, now);
    },
    add(bytes: number) {
      if (!transfer) return;
      transfer.done += bytes;
      const now = clock();
      if (now - transfer.lastDrawMs >= redrawIntervalMs) draw(transfer, now);
    },
    /** Clears the line. May be called more than once. */
    end() {
      if (transfer) void err.redraw('');
      transfer = undefined;
    },
  };
}

function transferLine({ label, total, done }: TransferState, ms: number, width: number): string {
  const rateText = ms >= 1000 ? `  ${sizeText(Math.round((done * 1000) / ms))}/s` : '';
  const amountText = `${total === undefined ? sizeText(done) : `${sizeText(done)} of ${sizeText(total)}`}${rateText}`;
  const fraction = total ? done / total : 1;
  // The share is rounded down, so that 100 % appears only at the end.
  const percent = String(Math.min(100, Math.floor(fraction * 100)));
  const figures = total === undefined ? amountText : `${percent.padStart(3)} %  ${amountText}`;
  const filledWidth = Math.min(barWidth, Math.floor(fraction * barWidth));
  const bar = total === undefined ? '' : `[${'#'.repeat(filledWidth)}${'.'.repeat(barWidth - filledWidth)}] `;
  const statusText = [bar + figures, figures].find((text) => text.length + 12 <= width) ?? figures;
  const labelWidth = width - statusText.length - 2;
  return labelWidth < 2 ? cutToWidth(statusText, width) : `${cutToWidth(label, labelWidth)}  ${statusText}`;
}
