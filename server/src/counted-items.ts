/** Items of an outbox are counted up to 10,000: see shard_lag(). */
const MOST = 10_000;

export const atLeast = (items: number): string =>
  items < MOST ? String(items) : `at least ${items}`;
