/**
 * The places of a worker for runs that clients of its process start: see `protocol/local-workers.ts`.
 *
 * Promises:
 *   L1  Runs in progress, places, and the runs that a receive in flight may bring never exceed the slots of the worker,
 *       except by runs whose start took so long that its place lapsed.
 *   L2  A place is given only while the worker has nothing else to receive, so that no start overtakes a run that waits,
 *       and only while its own connections work.
 *   L3  A stopping worker gives no place, and waits for starts that are in flight: it gives their runs back.
 */
import type { Turns } from "../async/turns.ts";
import type { LocalWorker, Place, RunEnd } from "../protocol/local-workers.ts";
import type { RequestTimes, WorkflowDelivery } from "../protocol/worker.ts";

/**
 * A run whose start is not answered belongs to no worker until this lease ends. The lease-keeper of one that has taken its
 * place extends it at its first look.
 */
const LONGEST_FIRST_LEASE_MS = 10_000;

export interface PlacesOptions {
  /** Lease of the worker. */
  readonly leaseMs: number;
  /** In its context rather than in that of the start, with its requests, traces and steps, runs are executed. */
  readonly turns: Turns;
  readonly versions: (workflow: string) => readonly number[];
  /** Slots that no run, place or receive in flight has; 0 while runs wait to be received. */
  readonly freeSlots: () => number;
  /** A start has returned its slot, or lets other runs have it, so that a run may be received. */
  readonly onReturned: () => void;
  /** Executes a run, and calls back at its end, or when it leaves the worker. */
  readonly execute: (
    delivery: WorkflowDelivery,
    times: RequestTimes,
    leaseMs: number,
    onEnd: (end: RunEnd | undefined) => void,
  ) => void;
  /** A run can't be executed here: another worker receives it when its lease ends. */
  readonly onTrouble: (error: unknown) => void;
}

export class Places implements LocalWorker {
  readonly #options: PlacesOptions;
  readonly #inFlight = new Set<Place>();
  /** Those of them that have a slot. */
  readonly #reserved = new Set<Place>();
  #isUsed = false;
  #isClosed = false;
  #settled: (() => void) | undefined;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** How many slots are reserved. */
  get size(): number {
    return this.#reserved.size;
  }

  /** Whether a client of this process starts runs that the worker serves. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  versions(workflow: string): readonly number[] {
    return this.#options.versions(workflow);
  }

  reserve(workflow: string, version: number): Place | undefined {
    const { leaseMs, freeSlots } = this.#options;
    if (this.#isClosed || !this.versions(workflow).includes(version)) return undefined;
    this.#isUsed = true;
    if (freeSlots() <= 0) return undefined;
    const place: Place = {
      version,
      leaseMs: Math.min(leaseMs, LONGEST_FIRST_LEASE_MS),
      lapse: () => this.#returnSlot(place),
      take: (delivery, times) => {
        this.#reserved.delete(place);
        this.#answered(place);
        return this.#execute(delivery, times, place.leaseMs);
      },
      giveBack: () => {
        this.#returnSlot(place);
        this.#answered(place);
      },
    };
    this.#inFlight.add(place);
    this.#reserved.add(place);
    return place;
  }

  /** Gives no place from now on. Resolves when no start is in flight. */
  close(): Promise<void> {
    this.#isClosed = true;
    if (this.#inFlight.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#settled = resolve;
    });
  }

  #execute(
    delivery: WorkflowDelivery,
    times: RequestTimes,
    leaseMs: number,
  ): Promise<RunEnd | undefined> {
    const { execute, onTrouble, turns } = this.#options;
    return new Promise((resolve) => {
      try {
        turns.now(() => execute(delivery, times, leaseMs, resolve));
      } catch (error) {
        onTrouble(error);
        resolve(undefined);
      }
    });
  }

  #returnSlot(place: Place): void {
    if (this.#reserved.delete(place)) this.#options.onReturned();
  }

  #answered(place: Place): void {
    this.#inFlight.delete(place);
    if (this.#inFlight.size === 0) this.#settled?.();
  }
}
