/** What a noun asks of the database: calls over the pool, or over the pool in the name of an actor. */
import type { Pool } from "./pool.ts";

export type Queries = Pick<Pool, "closing" | "query" | "queryOne" | "read" | "value">;
