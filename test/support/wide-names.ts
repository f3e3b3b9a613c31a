import { seedMoment, seedState } from '../../src/sandbox/seed/seed.ts';
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
export const stillMs = Date.parse('2026-05-04T12:07:31Z');

/** The seed with wide names. */
export function wideState(): State {
  const seed = JSON.stringify(seedState(seedMoment));
  return JSON.parse(Object.entries(wide).reduce((all, [name, by]) => all.replaceAll(name, by), seed));
}
