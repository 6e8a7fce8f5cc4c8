/** A system as the benchmark sees it. Each has one adapter; every scenario is written once, against this. */

/**
 * The bodies of the runs; their steps do nothing, so that only the system is measured. The two with many steps return
 * how many milliseconds those took, seen from the body: how its result is waited for is another figure.
 */
export type Body = "one-step" | "in-sequence" | "in-parallel" | "sleeper" | "waiter";

export interface BodyInput {
  /** Number of steps, for in-sequence and in-parallel. */
  readonly steps?: number;
  /** How long a sleeper sleeps between a step that notes the time and its end, which returns by how much it is late. */
  readonly ms?: number;
  /** Names the event of a waiter, for systems whose events aren't addressed to a run. */
  readonly event?: string;
}

export interface StartedRun {
  /** The body's result, by the system's documented way of waiting for it. */
  readonly result: () => Promise<unknown>;
  /** Resumes a waiter; resolves when the signal is durable. */
  readonly signal: () => Promise<void>;
}

/** A client in the process that measures. */
export interface WorkflowClient {
  /** Resolves when the start is durable. */
  readonly start: (body: Body, input: BodyInput) => Promise<StartedRun>;
  /** Resolves when all the runs have ended, durably. */
  readonly allEnded: (runs: readonly StartedRun[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

type Stop = () => Promise<void>;

interface Workflows {
  readonly connect: (address: string) => Promise<WorkflowClient>;
  /** In a separate process: serves all bodies. Resolves when it does. */
  readonly serve: (address: string) => Promise<Stop>;
  /** A client in a process that also serves all bodies, if that is more than calling both. Resolves when it does. */
  readonly serveHere?: (address: string) => Promise<WorkflowClient>;
}

export interface QueueClient {
  readonly send: (message: Message) => Promise<void>;
  /** With one group for each message if the queue is FIFO. */
  readonly sendBatch: (messages: readonly Message[], groups?: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Message {
  readonly order: number;
  readonly note: string;
}

export interface DrainOptions {
  readonly messages: number;
  readonly fifo: boolean;
}

interface Queues {
  readonly connect: (address: string, options: { readonly fifo: boolean }) => Promise<QueueClient>;
  /**
   * In a separate process: prepares to receive a number of waiting messages. The function that it resolves
   * with receives and acknowledges them all, and resolves when the last acknowledgement is durable.
   */
  readonly prepareDrain: (address: string, options: DrainOptions) => Promise<() => Promise<void>>;
  /** In a separate process: an idle consumer, one message at a time. Resolves when it waits. */
  readonly listen: (address: string, onMessage: () => void) => Promise<Stop>;
}

export interface System {
  /**
   * Installs the system into a fresh database, or starts what it has instead of one. Resolves with the address to which
   * client and worker connect; for most, that of the database.
   */
  readonly install: (databaseUrl: string) => Promise<string>;
  readonly workflows?: Workflows;
  readonly queues?: Queues;
}
