/** Progress of commands that move runs between shards. */
import type { MovedRoutes } from "@oxbow/fleet/internal";
import { remark } from "../output.ts";

const PROGRESS_EVERY_MS = 5000;

export const runsText = ({ moved, waiting, kept, problem }: MovedRoutes): string =>
  `Runs that have moved: ${moved}; that wait for their workers: ${waiting}; that stay: ${kept}${problem === undefined ? "" : `, the first because ${problem}`}.`;

interface ShownMove {
  readonly onProgress: (progress: MovedRoutes) => void;
  readonly onWait: (reason: string) => void;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/** Callbacks of a move, which print what they are called with every few seconds. */
export const showMoving = (): ShownMove => ({
  onProgress: sparsely((progress: MovedRoutes) => {
    remark(runsText(progress));
  }, performance.now()),
  onWait: (reason) => {
    remark(`Waiting: ${reason}.`);
  },
  onTrouble: reportTrouble,
});

/** Leaves out what follows within some seconds of what was shown. @param shownAt By default, the first is shown. */
export function sparsely<Value>(
  show: (value: Value) => void,
  shownAt = Number.NEGATIVE_INFINITY,
): (value: Value) => void {
  let last = shownAt;
  return (value) => {
    if (performance.now() < last + PROGRESS_EVERY_MS) return;
    last = performance.now();
    show(value);
  };
}

export const reportTrouble = (doing: string, error: unknown): void => {
  remark(`Trouble ${doing}: ${String(error)}`);
};
