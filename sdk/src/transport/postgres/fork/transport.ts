/** The identity of the database. */
import type {
  DatabaseIncarnation,
  ForkTransport,
  IncarnationRelease,
  ReleasedIncarnation,
} from "../../../protocol/fork.ts";
import type { Queries } from "../connection/queries.ts";
import { incarnation, releaseIncarnation } from "./functions.ts";

export class PostgresForkTransport implements ForkTransport {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async incarnation(): Promise<DatabaseIncarnation | undefined> {
    const { id, state, guarded, ...rest } = await this.#queries.queryOne(incarnation, []);
    return id === null || state === null
      ? undefined
      : { ...rest, id, state, guarded: guarded === true };
  }

  async release({ as, timers }: IncarnationRelease): Promise<ReleasedIncarnation | undefined> {
    const row = await this.#queries.queryOne(releaseIncarnation, [as, timers]);
    if (!row.released || row.id === null) return undefined;
    const { id, leases, timers: moved, captured } = row;
    return { id, leases: leases ?? 0, timers: moved ?? 0, captured: captured ?? 0 };
  }
}
