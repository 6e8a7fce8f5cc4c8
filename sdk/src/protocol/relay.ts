/**
 * The calls of a worker that carry many runs, for a server in between: it passes their values on as texts, as the database
 * reads and writes them, over one WebSocket. A request for each would cost it and the worker more than the runs do.
 *
 * Each message is JSON: a `RelayedCall` to the server, a `RelayedAnswer` from it. Workers in other languages, and SDKs and
 * servers of different versions, use the requests of the REST API.
 */
import type { UncommonCommit } from "./commit.ts";
import type { ReceiveRequest } from "./receive-request.ts";

export const RELAY_PATH = "/v1/worker/relay";
/**
 * Subprotocol of the WebSocket. Its number changes with the arguments of `workflow_commit`, and with the columns of
 * `workflow_receive`.
 */
export const RELAY_PROTOCOL = "oxbow-relay.1";

/** A value as the database reads it; null is SQL null. */
export type ValueText = string | null;

export interface WrittenCommit {
  /** The arguments of `workflow_commit`, in its order. */
  readonly values: readonly ValueText[];
  /** The run, if a commit has no other; the commit then waits for what another transaction has locked. */
  readonly runId?: string | undefined;
}

export interface CommitAnswer {
  /** For how many runs it is. */
  readonly runs: number;
  /** Others than plain `ok`. */
  readonly exceptions: readonly UncommonCommit[] | null;
}

/** Rows as the database writes them. */
export interface WrittenRows {
  /** The name of each column, and the number of its type in Postgres. */
  readonly columns: readonly { readonly name: string; readonly type: number }[];
  readonly rows: readonly (readonly ValueText[])[];
}

/** The versions as an object, so that they are JSON. */
type WrittenReceive = Omit<ReceiveRequest, "versions" | "onSent" | "giveUp"> & {
  readonly versions: Readonly<Record<string, readonly number[]>>;
};

export interface RelayedCall {
  readonly id: number;
  readonly call: "commit" | "receive";
  readonly body: WrittenCommit | WrittenReceive;
}

export interface RelayedAnswer {
  /** Id of the call. */
  readonly id: number;
  readonly answer?: CommitAnswer | WrittenRows;
  /** Instead of an answer: a problem, as the REST API answers it. */
  readonly problem?: unknown;
}

/** The side of the database, for a server. */
export interface WorkerRelay {
  /**
   * @param onWait Called if it waits for another transaction from now on, holding no connection.
   * @throws InvalidArgument if the number of values is wrong.
   */
  commit(commit: WrittenCommit, onWait: () => void): Promise<CommitAnswer>;
  /** The deliveries of `receive`. */
  receive(request: ReceiveRequest): Promise<WrittenRows>;
  /** Gives back runs that were received, and whose worker has gone. */
  giveBack(received: WrittenRows): Promise<void>;
}
