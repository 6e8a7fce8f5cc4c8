/**
 * Those that wait for the event loop's next turn share an immediate, up to so many: the first of a thousand runs commit
 * while the others are still replaying. What resumes together is committed together, and half of what a commit of 32 runs
 * costs is the same for one of 256 runs.
 */
const MOST_TOGETHER = 256;

let next: Promise<void> | undefined;
let waiting = 0;

/** Resolves in the event loop's next turn, when all microtasks of this one have drained. */
export function nextTurn(): Promise<void> {
  if (next === undefined || waiting === MOST_TOGETHER) next = begin();
  waiting += 1;
  return next;
}

function begin(): Promise<void> {
  waiting = 0;
  const begun = new Promise<void>((resolve) => {
    setImmediate(() => {
      if (next === begun) next = undefined;
      resolve();
    });
  });
  return begun;
}
