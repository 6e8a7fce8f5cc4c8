/**
 * Evaluates the triggers of a pool: receives events, loads what their types add, asks the guards, and reports what they
 * came to, in batches. Any number of workers share the events. Promises:
 *
 *   G1  An event starts one run a trigger, however many workers receive it and wherever they die: the database starts the
 *       runs and acknowledges the event in one transaction, each run under a key of event and trigger.
 *   G2  An event is evaluated by the triggers that were in force when it was received, all of one moment.
 *   G3  A guard that fails stops only its own trigger; a load that fails, the triggers of its type; a resource that
 *       can't be read, the triggers that name it: the event comes again for them, ever later, and is set aside after 12
 *       attempts. A type that this worker doesn't know is left to the other workers of the pool, for a day.
 *   G4  Leases of events are extended while they are evaluated, however long that takes.
 *   G5  Guards leave the event loop to others every few milliseconds, so that leases of runs are kept.
 *   G6  Types are declared once when the worker starts, which replaces what has changed, and then reported every 5 minutes:
 *       an old worker doesn't undo what a newer one has declared. A report that fails delays no event.
 */
import {
  askPersistently,
  blameFor,
  isRefused,
  messageOf,
  sleep,
  unlessAborted,
  withLinkedSignal,
} from "@oxbow/sdk/internal/declared";
import type {
  EventReport,
  MatchReport,
  TriggerBatch,
  TriggerDelivery,
  TriggerTransport,
} from "../protocol/triggers.ts";
import type { DefinedResource } from "../resources/resource-type.ts";
import { type EvaluatedEvent, evaluateEvent } from "./event-evaluation.ts";
import { TriggerIndex } from "./trigger-index.ts";
import type { TriggerType } from "./trigger-type.ts";

const LEASE_MS = 30_000;
/** How often leases are extended while their events are evaluated. */
const EXTEND_MS = 10_000;
const WAIT_MS = 20_000;
const MAX_EVENTS = 50;
const MAX_STARTS = 1_000;
const LOAD_MS = 10_000;
const MAX_ATTEMPTS = 12;
const LONGEST_RETRY_S = 600;
/** How long guards keep the event loop. */
const TURN_MS = 5;
/** Triggers that are gone leave the index by then. */
const FULL_READING_MS = 600_000;
const PAUSE_MS = 1_000;
const REPORT_EVERY_MS = 5 * 60_000;
const REPEAT_REPORT_AFTER_MS = 60_000;
/** How long an event is released for, at first and at most, if this worker doesn't know its type. */
const RELEASE_S = [1, 30] as const;
/** After a day the type is gone rather than deployed elsewhere. */
const LONGEST_RELEASED_S = 86_400;
/** A worker that stops still commits: its transport gives up. */
const NEVER = new AbortController().signal;

export interface TriggerWorkerOptions {
  readonly triggers: TriggerTransport;
  readonly pool: string;
  readonly types: readonly TriggerType[];
  /** Types whose resources guards may read. */
  readonly resources: readonly DefinedResource[];
  readonly onTrouble: (doing: string, error: unknown) => void;
}

export class TriggerWorker {
  readonly #options: TriggerWorkerOptions;
  readonly #types: ReadonlyMap<string, TriggerType>;
  readonly #index = new TriggerIndex();
  #epoch: string | undefined;
  #readAllAt = 0;
  #turnEndsAt = 0;
  /** Undefined until the types are declared. */
  #reportAt: number | undefined;

  constructor(options: TriggerWorkerOptions) {
    this.#options = options;
    this.#types = new Map(options.types.map((type) => [type.name, type]));
  }

  /** Works until the signal aborts, and then finishes the events that it has received. Rejects if it may not work. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#reportAt === undefined) await this.#declare(true);
        else if (performance.now() >= this.#reportAt) await this.#report();
        await this.#work(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isRefused(error)) throw error;
        this.#options.onTrouble("evaluating triggers", error);
        await sleep(PAUSE_MS, signal);
      }
    }
  }

  async #declare(replace: boolean): Promise<void> {
    const { triggers, pool, types } = this.#options;
    await triggers.declare({
      pool,
      types: types.map(({ name, topic, loads, schema }) => ({
        name,
        topic,
        loaded: loads,
        schema: schema ?? null,
      })),
      replace,
    });
    this.#reportAt = performance.now() + REPORT_EVERY_MS;
  }

  async #report(): Promise<void> {
    try {
      await this.#declare(false);
    } catch (error) {
      this.#reportAt = performance.now() + REPEAT_REPORT_AFTER_MS;
      this.#options.onTrouble("reporting trigger types", error);
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#readAllAt >= FULL_READING_MS) this.#epoch = undefined;
    const batch = await this.#options.triggers.receive({
      pool: this.#options.pool,
      max: MAX_EVENTS,
      leaseMs: LEASE_MS,
      waitMs: WAIT_MS,
      knownEpoch: this.#epoch,
      signal,
    });
    if (batch.events.length === 0) return;
    this.#learn(batch);
    await this.#evaluate(batch.events, signal);
  }

  #learn({ epoch, triggers }: TriggerBatch): void {
    if (this.#epoch === undefined) {
      this.#index.clear();
      this.#readAllAt = performance.now();
    }
    this.#index.apply(triggers);
    this.#epoch = epoch;
  }

  async #evaluate(events: readonly TriggerDelivery[], signal: AbortSignal): Promise<void> {
    this.#turnEndsAt = performance.now() + TURN_MS;
    let reports: EventReport[] = [];
    const matches: MatchReport[] = [];
    const refused: Refusal[] = [];
    // All concurrently, since loads wait.
    const evaluations = events.map((event) => this.#evaluateOne(event, signal));
    void Promise.allSettled(evaluations);
    const held = new Set(events.map(({ receipt }) => receipt));
    const end = new AbortController();
    const extending = this.#extend(held, end.signal);
    try {
      for (const [at, event] of events.entries()) {
        const evaluated = await evaluations[at];
        if (evaluated === undefined) continue;
        matches.push(...evaluated.matches);
        while (matches.length > MAX_STARTS) {
          const some = matches.splice(0, MAX_STARTS);
          for (const { receipt } of reports) held.delete(receipt);
          refused.push(...(await this.#commit([...reports, moreOf(event)], some)));
          reports = [];
        }
        // Acknowledging the event would lose its refused matches.
        const isLost = refused.some(({ receipt }) => receipt === event.receipt);
        reports.push(isLost ? moreOf(event) : reportOf(event, evaluated));
      }
    } finally {
      end.abort();
      await extending;
    }
    refused.push(...(await this.#commit(reports, matches)));
    const [first] = refused;
    if (first !== undefined)
      throw new Error("Some events can't be reported.", { cause: first.error });
  }

  /** Until the signal aborts. */
  async #extend(receipts: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { triggers, pool, onTrouble } = this.#options;
    for (;;) {
      await sleep(EXTEND_MS, signal);
      if (signal.aborted) return;
      try {
        const reports = [...receipts].map((receipt) => moreOf({ receipt }));
        await triggers.commit(pool, reports, []);
      } catch (error) {
        onTrouble("extending the leases of events", error);
      }
    }
  }

  #evaluateOne(event: TriggerDelivery, signal: AbortSignal): Promise<EvaluatedEvent> {
    return evaluateEvent({
      event,
      index: this.#index,
      types: this.#types,
      get: (type, ids) => this.#get(type, ids, signal),
      load: (type) => this.#load(type, event, signal),
      pause: () => this.#pause(),
    });
  }

  /** A type that this worker doesn't know fails: a newer one may know it. */
  async #get(
    type: string,
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const known = this.#options.resources.find((each) => each.type === type);
    if (known === undefined) throw new Error("This worker doesn't know the type.");
    return inTime(signal, (linked) => known.get(ids, { signal: linked }));
  }

  async #load(
    { load }: TriggerType,
    { message: event, topic }: TriggerDelivery,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    return inTime(
      signal,
      (linked) => load?.({ event, topic, signal: linked }) ?? Promise.resolve({}),
    );
  }

  #pause(): Promise<void> | undefined {
    if (performance.now() < this.#turnEndsAt) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#turnEndsAt = performance.now() + TURN_MS;
        resolve();
      });
    });
  }

  /**
   * Splits what the database rejects, until only the event and the match that are to blame are left. Returns the events
   * that can't be reported: they come again, and don't keep others from being reported.
   */
  async #commit(
    reports: readonly EventReport[],
    matches: readonly MatchReport[],
  ): Promise<readonly Refusal[]> {
    const rejected = await this.#send(reports, matches);
    const [report] = reports;
    if (rejected === undefined) return [];
    if (report === undefined) throw rejected.error;
    if (reports.length > 1) {
      const refused: Refusal[] = [];
      for (const each of reports) {
        const own = matches.filter(({ receipt }) => receipt === each.receipt);
        refused.push(...(await this.#commit([each], own)));
      }
      return refused;
    }
    if (report.loaded !== undefined) {
      const without = withoutLoaded(report, rejected.error);
      if ((await this.#send([without], matches)) === undefined) return [];
    }
    const [match, ...others] = matches;
    if (match === undefined || (others.length === 0 && match.outcome === "failed"))
      return [{ receipt: report.receipt, error: rejected.error }];
    if (others.length === 0) {
      const { receipt, definition, version, trigger } = match;
      const error = messageOf(rejected.error);
      return this.#commit(
        [report],
        [{ receipt, definition, version, trigger, outcome: "failed", error }],
      );
    }
    const half = Math.ceil(matches.length / 2);
    const refused = await this.#commit([moreOf(report)], matches.slice(0, half));
    return refused.length > 0 ? refused : this.#commit([report], matches.slice(half));
  }

  /** Returns the error if the data is at fault, undefined if all was committed. */
  async #send(
    reports: readonly EventReport[],
    matches: readonly MatchReport[],
  ): Promise<{ readonly error: unknown } | undefined> {
    const { triggers, pool } = this.#options;
    try {
      await askPersistently(() => triggers.commit(pool, reports, matches), {
        forMs: LEASE_MS / 2,
        signal: NEVER,
        isFinal: (error) => isRefused(error) || blameFor(error) === "data",
      });
      return undefined;
    } catch (error) {
      if (blameFor(error) !== "data") throw error;
      return { error };
    }
  }
}

const inTime = <Value>(
  signal: AbortSignal,
  read: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> =>
  withLinkedSignal([signal], (linked) => unlessAborted(read(linked), linked), {
    ms: LOAD_MS,
    reason: new Error("It took longer than 10 seconds."),
  });

/** An event that can't be reported. */
interface Refusal {
  readonly receipt: string;
  readonly error: unknown;
}

/** An explanation knows less without the members; with them the event would come again for ever. */
function withoutLoaded(report: EventReport, rejection: unknown): EventReport {
  const { loaded: _, ...rest } = report;
  return { error: `The loaded members can't be kept: ${messageOf(rejection)}`, ...rest };
}

const moreOf = ({ receipt }: { readonly receipt: string }): EventReport => ({
  receipt,
  state: "more",
  delaySeconds: LEASE_MS / 1_000,
});

function reportOf(
  { receipt, attempts, publishedAt }: TriggerDelivery,
  { loaded, failure, unknown }: EvaluatedEvent,
): EventReport {
  const members = Object.keys(loaded).length === 0 ? {} : { loaded };
  // A load that fails counts, whatever else the event needs.
  if (unknown !== undefined && failure === undefined) {
    // The older the event, the longer: its own clock is not needed to the second.
    const age = (Date.now() - publishedAt) / 1_000;
    if (age > LONGEST_RELEASED_S) return { receipt, state: "failed", error: unknown, ...members };
    const [least, most] = RELEASE_S;
    const delaySeconds = Math.min(Math.max(age / 4, least), most);
    return { receipt, state: "release", delaySeconds, error: unknown, ...members };
  }
  if (failure === undefined) return { receipt, state: "evaluated", ...members };
  if (attempts >= MAX_ATTEMPTS) return { receipt, state: "failed", error: failure, ...members };
  return {
    receipt,
    state: "retry",
    delaySeconds: Math.min(2 ** attempts, LONGEST_RETRY_S),
    error: failure,
    ...members,
  };
}
