/** Progress of commands that move runs between shards. */
import type { MovedRoutes } from "@oxbow/sdk/internal";
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
export function showMoving(): ShownMove {
  let shownAt = performance.now();
  return {
    onProgress: (progress) => {
      if (performance.now() < shownAt + PROGRESS_EVERY_MS) return;
      shownAt = performance.now();
      remark(runsText(progress));
    },
    onWait: (reason) => {
      remark(`Waiting: ${reason}.`);
    },
    onTrouble: reportTrouble,
  };
}

export const reportTrouble = (doing: string, error: unknown): void => {
  remark(`Trouble ${doing}: ${String(error)}`);
};
