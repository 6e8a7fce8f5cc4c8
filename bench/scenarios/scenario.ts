/** The measurements that every system takes. */
import type pg from "pg";
import type { Message, QueueClient, WorkflowClient } from "../systems/system.ts";

export interface Row {
  readonly id: string;
  readonly name: string;
  readonly unit: "/s" | "ms" | "bytes" | "";
}

/** Rates are better the higher, and costs the lower. */
export const isRate = ({ unit }: Row): boolean => unit === "/s";

/** A started worker process. */
export interface WorkerProcess {
  /** Resolves with the milliseconds from here until everything was received and acknowledged. */
  readonly drain: () => Promise<number>;
  /** Resolves when the next message has reached the consumer; call it before sending. */
  readonly arrival: () => Promise<unknown>;
  readonly end: () => Promise<void>;
}

/** A system on a fresh database, and the size of what is asked of it: 1 for the figures that are published. */
interface Bench {
  readonly scale: number;
  /** Connection to the same server, for what the server knows. */
  readonly database: pg.Client;
}

export interface WorkflowBench extends Bench {
  readonly client: WorkflowClient;
  readonly startWorker: () => Promise<WorkerProcess>;
  /** Serves in the process that measures, instead of a worker process. */
  readonly serveHere: () => Promise<WorkflowClient>;
}

export interface QueueBench extends Bench {
  readonly connect: (options: { readonly fifo: boolean }) => Promise<QueueClient>;
  readonly startConsumer: () => Promise<WorkerProcess>;
  readonly startDrainer: (options: {
    readonly messages: number;
    readonly fifo: boolean;
  }) => Promise<WorkerProcess>;
}

/** The figures of the rows, in their order. */
export type Measured = readonly number[];

interface Common {
  readonly id: string;
  readonly rows: readonly Row[];
}

export type Scenario =
  | (Common & {
      readonly kind: "workflows";
      readonly measure: (bench: WorkflowBench) => Promise<Measured>;
    })
  | (Common & {
      readonly kind: "queues";
      readonly measure: (bench: QueueBench) => Promise<Measured>;
    });

export const scaled = (size: number, scale: number, least = 1): number =>
  Math.max(least, Math.round(size * scale));

export const message = (order: number): Message => ({ order, note: "x".repeat(100) });
