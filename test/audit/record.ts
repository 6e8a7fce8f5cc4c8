/**
 * Reports of clients and workers to the auditor: one entry a fact, in the order in which they became known. Times are
 * milliseconds of the machine's monotonic clock, which all processes share and no fault moves.
 */

/** The way of a call to the database. */
export type Lane = "direct" | "http" | "bouncer";

export type Verb = "start" | "signal" | "cancel" | "send" | "publish" | "result";

interface Fact {
  readonly trial: string;
  readonly at: number;
}

/** A client makes a call, and later calls it again under the same `op` until it is acknowledged. */
interface Called extends Fact {
  readonly kind: "called";
  readonly op: string;
  readonly verb: Verb;
  readonly lane: Lane;
}

/** A call was acknowledged: from here on its effect is promised. */
export interface Acknowledged extends Fact {
  readonly kind: "acknowledged";
  readonly op: string;
  readonly verb: Verb;
  /** The subject of the call: the workload's item, which the promises know how to judge. */
  readonly item: Item;
  /** The system's answer: a run id, an outcome, a result. */
  readonly answer: unknown;
}

/** A call was answered by an error; whether it was carried out is unknown. */
interface Refused extends Fact {
  readonly kind: "refused";
  readonly op: string;
  readonly verb: Verb;
  readonly error: string;
}

/** A client gave up a call that was never acknowledged. */
export interface GivenUp extends Fact {
  readonly kind: "given-up";
  readonly op: string;
  readonly verb: Verb;
  readonly error: string;
}

/** A callback of a step, or of a rollback, was called. */
export interface Began extends Fact {
  readonly kind: "began";
  readonly call: string;
  readonly run: string;
  readonly step: string;
  /** Steps of the run whose values its body had: they are durable, or this callback could not be called. */
  readonly after: readonly string[];
  readonly pid: number;
  /** The machine's time of day, to compare with the journal. */
  readonly wall: number;
}

/** A callback came back, by its value or by an error. */
interface Ended extends Fact {
  readonly kind: "ended";
  readonly call: string;
  readonly threw: boolean;
}

/** The signal of a callback aborted. */
interface Aborted extends Fact {
  readonly kind: "aborted";
  readonly call: string;
}

/** A body reached a sleep, or a wait that times out, of so many milliseconds. */
export interface Slept extends Fact {
  readonly kind: "slept";
  readonly run: string;
  readonly step: string;
  readonly ms: number;
}

/** A body came out of it. */
export interface Woke extends Fact {
  readonly kind: "woke";
  readonly run: string;
  readonly step: string;
}

/** A handler was called with a message. */
export interface Handled extends Fact {
  readonly kind: "handled";
  readonly call: string;
  readonly queue: string;
  readonly message: string;
  readonly group: string;
  readonly number: number;
  readonly pid: number;
}

/** The system acknowledged to a consumer that a message is done. */
export interface Settled extends Fact {
  readonly kind: "settled";
  readonly queue: string;
  readonly message: string;
}

/** A reader of a run's stream has read to its end. */
interface Streamed extends Fact {
  readonly kind: "streamed";
  readonly run: string;
  readonly chunks: readonly unknown[];
}

export type Entry =
  | Called
  | Acknowledged
  | Refused
  | GivenUp
  | Began
  | Ended
  | Aborted
  | Slept
  | Woke
  | Handled
  | Settled
  | Streamed;

/** One thing of the workload. */
export type Item =
  | { readonly what: "run"; readonly workflow: Kind; readonly input: RunInput }
  | { readonly what: "signal"; readonly run: string; readonly number: number }
  | { readonly what: "cancel"; readonly run: string }
  | {
      readonly what: "message";
      readonly queue: string;
      readonly group: string;
      readonly number: number;
    }
  | { readonly what: "note"; readonly number: number };

/** The workflows of the workload. Besides: `leaf`, which `family` invokes, `noted`, of a topic, and `ticked`. */
export type Kind =
  | "chain"
  | "fan"
  | "nap"
  | "wait"
  | "family"
  | "undo"
  | "book"
  | "flaky"
  | "long"
  | "stream"
  | "renew"
  | "turns"
  | "order"
  | "query";

export interface RunInput {
  readonly trial: string;
  readonly number: number;
  /** How long a callback takes. */
  readonly ms: number;
  /** A callback's action instead of returning, until the trial is mended. */
  readonly deadly?: "kill" | "exit" | "memory";
  /** The callback blocks its process instead of waiting. */
  readonly blocks?: boolean;
  /** Characters of filler in what each step returns. */
  readonly filler?: number;
  /** What the earlier generations of the run have added up. */
  readonly carried?: number;
  /** How many steps, where the workflow has a choice. */
  readonly steps?: number;
}

/** The machine's monotonic clock. */
export const monotonic = (): number => Number(process.hrtime.bigint()) / 1e6;
