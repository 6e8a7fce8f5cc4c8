/** A move of routes under way: what its phases have in common. */
import { sleep } from "../../async/sleep.ts";
import type { Routes, ShardTransport } from "../../protocol/shards.ts";
import type { Transport } from "../../protocol/transport.ts";

export interface Place {
  readonly name: string;
  readonly transport: Transport;
  readonly shard: ShardTransport;
}

export interface MovedRoutes {
  /** Runs that have left their shards. */
  readonly moved: number;
  /** Runs in progress that wait for their workers. */
  readonly waiting: number;
  /** Runs that can't move, and stay. */
  readonly kept: number;
  /** Why the first of them stays. */
  readonly problem: string | undefined;
}

export interface Move {
  readonly routes: Routes;
  readonly target: Place;
  /** The other shards of the fleet. */
  readonly sources: readonly Place[];
  /** False: only their home changes. */
  readonly withRuns: boolean;
  /** Takes runs from the workers that execute them, which may call a callback again. */
  readonly endsLeases: boolean;
  readonly onProgress: (progress: MovedRoutes) => void;
  /** What it waits for, again and again while it does. */
  readonly onWait: (reason: string) => void;
  progress: MovedRoutes;
}

/**
 * A part of a move. Phases follow each other, and may be interrupted anywhere and repeated from the first: what is done
 * already is found done.
 */
export type Phase = (move: Move) => Promise<void>;

const LOOK_EVERY_MS = 100;
const REPORT_AFTER_MS = 2000;
const REPORT_EVERY_MS = 5000;

export const pause = (): Promise<void> => sleep(LOOK_EVERY_MS, new AbortController().signal);

/** Reports a reason to wait that stays, every few seconds. */
export class Waiting {
  readonly #since = performance.now();
  readonly #move: Move;
  #reportAt = this.#since + REPORT_AFTER_MS;

  constructor(move: Move) {
    this.#move = move;
  }

  get ms(): number {
    return performance.now() - this.#since;
  }

  async rest(reason: string): Promise<void> {
    if (performance.now() > this.#reportAt) {
      this.#reportAt = performance.now() + REPORT_EVERY_MS;
      this.#move.onWait(reason);
    }
    await pause();
  }
}

export const textOf = (routes: Routes): string =>
  "route" in routes ? `route "${routes.route}"` : `slots ${rangeOf(routes.slots)}`;

const rangeOf = (slots: readonly number[]): string =>
  slots.length === 1 ? String(slots[0]) : `${slots[0]}-${slots.at(-1)}`;
