/** Rooms that packages add: the calls of a noun that the SDK itself doesn't know, by each way to a database. */
import type { TransactionClient } from "./transaction.ts";

/** How each kind of transport makes the calls of a room. */
export interface Room<Calls> {
  /** Name of what it has, as an error begins with it. */
  readonly title: string;
  readonly postgres: (way: PostgresWay) => Calls;
  readonly http: (server: ServerRequests) => Calls;
}

/** The way of a room straight to the database. */
export interface PostgresWay {
  readonly queries: RoomQueries;
  /** Calls in the name of no actor, also if the transport acts for one. */
  readonly unattributed: RoomQueries;
  readonly queues: MessageWaits;
}

/**
 * A call of a SQL function: the text that the SDK sends, and nothing but a call. Columns are named, so that an older SDK
 * runs on a newer database. A call that also runs in a transaction of the caller's casts each of its parameters, and
 * returns ids as text: see `foreign-transaction.ts`.
 */
export interface Call<Parameters extends readonly unknown[] = readonly unknown[], Row = unknown> {
  /** Name of the prepared statement. */
  readonly name: string;
  readonly text: string;
  /** Types for the compiler: what the statement takes, and what each row has. */
  readonly types?: { readonly parameters: Parameters; readonly row: Row };
}

export interface QueryOptions {
  /** The statement may be carried out twice without harm, and a background task waits for its answer. */
  readonly repeatable?: boolean | undefined;
  /** The answer comes soon or never, however much there is in the database. True of what is repeatable. */
  readonly isPrompt?: boolean | undefined;
  /** Once it aborts, the statement isn't sent any more; one that was sent is answered. */
  readonly giveUp?: AbortSignal | undefined;
  /** Called when the statement is sent, each time that it is. */
  readonly onSent?: (() => void) | undefined;
  /** The caller's own connection, whose transaction then decides. */
  readonly tx?: TransactionClient | undefined;
}

/** The calls of the database that a room makes. */
export interface RoomQueries {
  /** Rows of one call. */
  query<Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
    options?: QueryOptions,
  ): Promise<Row[]>;
  /** The one row of a call that always has one. */
  queryOne<Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
    options?: QueryOptions,
  ): Promise<Row>;
  /** The result of a function that returns one value. */
  value<Parameters extends readonly unknown[], Value>(
    call: Call<Parameters, { readonly value: Value }>,
    values: NoInfer<Parameters>,
    options?: QueryOptions,
  ): Promise<Value>;
}

interface AwaitRequest {
  readonly queue: string;
  readonly max: number;
  readonly matching?: string | undefined;
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface MessageWaits {
  /** Receives, by whatever function owns the queue, as soon as a message is available; empty after `waitMs`. */
  await<Delivery>(
    request: AwaitRequest,
    receiveOnce: () => Promise<Delivery[]>,
  ): Promise<Delivery[]>;
}

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE" | "PATCH";
  /** JSON. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** It may be carried out twice without harm, and a background task waits for its answer. */
  readonly repeatable?: boolean;
  /** It only reads: asked again for a while. */
  readonly isRead?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** How much longer than usual the answer may take. */
  readonly waitMs?: number;
  /** Once it aborts, the request isn't sent any more; one that was sent is answered. */
  readonly giveUp?: AbortSignal | undefined;
  /** Called when the request is sent, each time that it is. */
  readonly onSent?: (() => void) | undefined;
}

/** The requests to a server that a room makes. */
export interface ServerRequests {
  /** Aborts when the connection closes. */
  readonly closing: AbortSignal;
  /** The answer's JSON. */
  ask<Answer>(path: string, options?: RequestOptions): Promise<Answer>;
  /** The answer's text, in pieces as they arrive; ends with the connection. */
  stream(path: string, options?: RequestOptions): Promise<AsyncIterable<string>>;
}
