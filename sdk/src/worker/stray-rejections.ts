/**
 * Rejections that nothing handles, of promises that belong to a run: of a branch that its body doesn't await, say. Without
 * a listener, Node ends the process by them, with all of its runs.
 *
 * Promises:
 *   J1  One that belongs to a run, by its async context, is passed to that run, also after its end.
 *   J2  All others have the effect that they have without this listener: another listener of the process has them, or Node
 *       treats them as it was told to (`--unhandled-rejections`), which ends the process by default.
 */
import { AsyncLocalStorage } from "node:async_hooks";

type OnStray = (reason: unknown) => void;

/** State of the process, which may hold several copies of this package. */
interface Shared {
  readonly ofRuns: AsyncLocalStorage<OnStray>;
  workers: number;
  listener?: OnStray;
}

const KEY = Symbol.for("oxbow.stray-rejections");
const holder = globalThis as { [KEY]?: Shared };
const shared = (holder[KEY] ??= { ofRuns: new AsyncLocalStorage(), workers: 0 });

/** Does work in whose async context promises belong to a run. */
export const asRun = <Value>(onStray: OnStray, work: () => Value): Value =>
  shared.ofRuns.run(onStray, work);

/** Listens while a worker works. Returns a function that ends that. */
export function watchRejections(): () => void {
  shared.workers += 1;
  if (shared.workers === 1) listen();
  return () => {
    shared.workers -= 1;
    if (shared.workers === 0) stopListening();
  };
}

function listen(): void {
  shared.listener = (reason) => {
    const onStray = shared.ofRuns.getStore();
    if (onStray !== undefined) onStray(reason);
    else if (process.listenerCount("unhandledRejection") === 1) leaveToNode(reason);
  };
  process.on("unhandledRejection", shared.listener);
}

function stopListening(): void {
  if (shared.listener !== undefined) process.off("unhandledRejection", shared.listener);
}

/** Rejects once more, for a moment in which nothing listens. */
function leaveToNode(reason: unknown): void {
  stopListening();
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- of any kind
  void Promise.reject(reason);
  setImmediate(() => {
    const { workers, listener } = shared;
    if (workers === 0 || listener === undefined) return;
    // A worker that has begun since then listens already.
    if (process.listeners("unhandledRejection").includes(listener)) return;
    process.on("unhandledRejection", listener);
  });
}
