/**
 * Calls in the name of an actor, for the audit.
 *
 * Promises:
 *   A1  The statement that makes the call also sets the actor, only for its transaction: there is no other round trip,
 *       and nothing is left behind in the session, which behind a proxy may belong to another client next.
 *   A2  Calls without an actor are not affected: their statements stay as they are.
 */
import type { Actor } from "../../../protocol/audit.ts";
import type { Call, QueryOptions } from "../../../protocol/rooms.ts";
import { withSetting } from "./call.ts";
import type { Piece } from "./paced-cursor.ts";
import type { Pool } from "./pool.ts";
import type { Queries } from "./queries.ts";

export class ActingQueries implements Queries {
  readonly #pool: Pool;
  readonly #actor: string;

  constructor(pool: Pool, { actor, kind, token, address }: Actor) {
    this.#pool = pool;
    this.#actor = JSON.stringify({ actor, kind, token, address });
  }

  get closing(): AbortSignal {
    return this.#pool.closing;
  }

  query<Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
    options?: QueryOptions,
  ): Promise<Row[]> {
    const { acting, withActor } = this.#act(call, values);
    return this.#pool.query(acting, withActor, options);
  }

  queryOne<Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
    options?: QueryOptions,
  ): Promise<Row> {
    const { acting, withActor } = this.#act(call, values);
    return this.#pool.queryOne(acting, withActor, options);
  }

  value<Parameters extends readonly unknown[], Value>(
    call: Call<Parameters, { readonly value: Value }>,
    values: NoInfer<Parameters>,
    options?: QueryOptions,
  ): Promise<Value> {
    const { acting, withActor } = this.#act(call, values);
    return this.#pool.value(acting, withActor, options);
  }

  /** Reads are not audited. */
  read<Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
  ): AsyncGenerator<Piece<Row>, void> {
    return this.#pool.read(call, values);
  }

  #act<Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: Parameters,
  ): { acting: Call<readonly unknown[], Row>; withActor: readonly unknown[] } {
    const acting = withSetting(call, "acting", "oxbow.actor", values.length + 1);
    // A call without parameters is made as it is: it changes nothing.
    return { acting, withActor: acting === call ? values : [...values, this.#actor] };
  }
}
