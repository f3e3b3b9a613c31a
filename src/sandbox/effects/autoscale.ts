import { stamp } from '../seed/made-up.ts';
import { thirdWebServer } from '../seed/shop/machines.ts';
import type { HeldStack, State } from '../state.ts';
import { changeVariable } from '../variables.ts';

/** At speed 1. */
const intervalMs = 120_000;
/** It ends after an hour, so that no history grows without end. */
const mostChanges = 30;
/** The value of the variable with two and with three web servers. */
const concurrency = { two: '4', three: '3' };

/** Adds a web server and removes it again, as often as was due until `now`. */
export function autoscale({ stacks, autoscaler }: State, now: Date, speed: number): void {
  const shop = stacks.find(({ row }) => row.name === 'shop');
  if (!autoscaler || !shop) return;
  const due = () => autoscaler.beganMs + ((autoscaler.changes + 1) * intervalMs) / speed;
  while (autoscaler.changes < mostChanges && due() <= now.getTime()) {
    scaleWeb(shop, stamp(due()));
    autoscaler.changes += 1;
  }
}

function scaleWeb(shop: HeldStack, at: string): void {
  const third = thirdWebServer(shop.row.uid, at);
  const others = shop.servers.filter(({ row }) => row.uid !== third.row.uid);
  const isThere = others.length < shop.servers.length;
  shop.servers = isThere ? others : [...others, third];
  const variable = shop.variables.find(({ key }) => key === 'WEB_CONCURRENCY');
  if (variable) changeVariable(variable, isThere ? concurrency.two : concurrency.three, at);
}
