/**
 * Time and chance, as a body gets them that is replayed after every step: different each time, so that code which
 * depends on them departs from its journal now, and not in production.
 *
 * Only for code that runs in a body: callbacks, the worker and the test get what they always get.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** Which delivery of its run a body runs in, from 0. */
const bodies = new AsyncLocalStorage<number>();

/** Another day, hour, minute and second, and another parity of milliseconds. */
const SHIFT_MS = (((24 + 13) * 60 + 7) * 60 + 1) * 1000 + 1;

let users = 0;
let restore: (() => void) | undefined;

/** Until the function that is returned is called, bodies get what they should not depend on. */
export function troubleBodies(): () => void {
  users += 1;
  restore ??= patch();
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    users -= 1;
    if (users > 0) return;
    restore?.();
    restore = undefined;
  };
}

export const inBody = <Value>(delivery: number, body: () => Value): Value =>
  bodies.run(delivery, body);

/** Runs something that a body has set off, but that is not its own. */
export const outsideBody = <Value>(work: () => Value): Value => bodies.exit(work);

const shift = (): number => (bodies.getStore() ?? 0) * SHIFT_MS;

function patch(): () => void {
  const RealDate = globalThis.Date;
  const realRandom = Math.random;
  const now = (): number => RealDate.now() + shift();

  const TroubledDate = new Proxy(RealDate, {
    get: (target, key, receiver): unknown =>
      key === "now" ? now : Reflect.get(target, key, receiver),
    construct: (target, values: unknown[], newTarget): object =>
      Reflect.construct(
        target,
        values.length === 0 && shift() > 0 ? [now()] : values,
        newTarget,
      ) as object,
    apply: (): string => new RealDate(now()).toString(),
  });
  const troubledRandom = (): number => {
    const delivery = bodies.getStore();
    const random = realRandom();
    if (delivery === undefined) return random;
    // Next to one end, then next to the other: whatever is compared with it comes out differently.
    return delivery % 2 === 0 ? random / 1_000 : 0.999 + random / 1_001;
  };

  globalThis.Date = TroubledDate;
  Math.random = troubledRandom;
  return () => {
    // A test's fake timers may have replaced them.
    if (globalThis.Date === TroubledDate) globalThis.Date = RealDate;
    if (Math.random === troubledRandom) Math.random = realRandom;
  };
}
