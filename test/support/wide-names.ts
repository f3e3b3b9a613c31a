import { seedMoment, seedState } from '../../src/sandbox/seed.ts';
import type { State } from '../../src/sandbox/state.ts';

/** Names that are wider than they are long: kana, Han, Hangul, emoji, letters made of two. */
const wide: Readonly<Record<string, string>> = {
  'shop-web-1': '網頁-1 🚀',
  'shop-web-2': '網頁-2',
  'shop-worker-1': '작업자-1',
  '"blog"': '"ブログ📝"',
  staging: '検証環境',
  mara: '麻良',
  iven: 'i̇ven',
  scheduler: '予定係⏰',
  shop_events: '受注履歴',
  shop_cache: 'cafe\u0301_cache',
  analytics: '분석',
  'Harbour Books': 'ハーバー書店 📚',
  'Europe/Amsterdam': '東京🗼と大阪🏯の二か所にある倉庫から、世界中のお客様へ',
  'en,de,fr,nl': 'en,日本語,한국어',
};

/** The moment as of which the screens are drawn. */
const stillMs = Date.parse('2026-05-04T12:07:31Z');
const moment = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

/** The seed with wide names, as long ago as it is at the moment of the screens. */
export function wideState(aheadMs: number): State {
  const seed = JSON.stringify(seedState(new Date(seedMoment.getTime() + aheadMs)));
  return JSON.parse(Object.entries(wide).reduce((all, [name, by]) => all.replaceAll(name, by), seed));
}

/** How far the clock is ahead of the moment of the screens, in whole seconds. */
export function aheadNow(): number {
  return Math.floor((Date.now() - stillMs) / 1000) * 1000;
}

/** The text with its moments moved. */
export function movedBy(text: string, ms: number): string {
  return text.replaceAll(moment, (found) => new Date(Date.parse(found) + ms).toISOString().replace('.000Z', 'Z'));
}
