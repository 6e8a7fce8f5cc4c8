/** Triggers of definitions, through the server. */
import {
  type JsonText,
  type ServerRequests,
  jsonOf,
  refuseTx,
  type Shown,
  toDates,
} from "@oxbow/sdk/internal/rooms";
import type { TransactionClient } from "@oxbow/sdk";
import type {
  DeclaredTriggerType,
  DeclareTriggerTypesRequest,
  DefinitionHook,
  EventFacts,
  EventReport,
  MatchReport,
  OnceHolder,
  ReceiveEventsRequest,
  TriggerBatch,
  TriggerEvent,
  TriggerEventConditions,
  TriggerTransport,
} from "../../protocol/triggers.ts";

const WORKER = "/v1/worker/triggers";

export class HttpTriggerTransport implements TriggerTransport {
  readonly #connection: ServerRequests;

  constructor(connection: ServerRequests) {
    this.#connection = connection;
  }

  async declare({ pool, types, replace }: DeclareTriggerTypesRequest): Promise<number> {
    const { changed } = await this.#connection.ask<{ changed: number }>(`${WORKER}/types`, {
      body: JSON.stringify({ pool, types, replace }),
      repeatable: true,
    });
    return changed;
  }

  async types(
    conditions: Parameters<TriggerTransport["types"]>[0],
  ): Promise<DeclaredTriggerType[]> {
    const given = Object.entries(conditions).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const { types } = await this.#connection.ask<{ types: Shown<DeclaredTriggerType>[] }>(
      `/v1/trigger-types?${new URLSearchParams(given).toString()}`,
      { method: "GET" },
    );
    return types.map((each) => toDates<DeclaredTriggerType>(each, ["declaredAt"]));
  }

  receive({
    pool,
    max,
    leaseMs,
    waitMs,
    knownEpoch,
    signal,
  }: ReceiveEventsRequest): Promise<TriggerBatch> {
    return this.#connection.ask<TriggerBatch>(`${WORKER}/receive`, {
      body: JSON.stringify({
        pool,
        maxEvents: max,
        leaseMs,
        waitSeconds: waitMs / 1_000,
        knownEpoch,
      }),
      waitMs,
      signal,
      repeatable: true,
    });
  }

  async commit(
    pool: string,
    events: readonly EventReport[],
    matches: readonly MatchReport[],
  ): Promise<string[]> {
    const { held } = await this.#connection.ask<{ held: string[] }>(`${WORKER}/commit`, {
      body: JSON.stringify({ pool, events, matches }),
      repeatable: true,
    });
    return held;
  }

  async events({
    name: definition,
    maxEvents,
    ...conditions
  }: TriggerEventConditions): Promise<TriggerEvent[]> {
    const query = new URLSearchParams({ limit: String(maxEvents) });
    for (const [name, value] of Object.entries({ definition, ...conditions })) {
      if (value !== undefined) query.set(name, value);
    }
    const { events } = await this.#connection.ask<{ events: Shown<TriggerEvent>[] }>(
      `/v1/trigger-events?${query.toString()}`,
      { method: "GET" },
    );
    return events.map((shown) => toDates<TriggerEvent>(shown, ["publishedAt", "evaluatedAt"]));
  }

  async facts(name: string, eventId: string, version: number | undefined): Promise<EventFacts> {
    const query = version === undefined ? "" : `?version=${version}`;
    const shown = await this.#connection.ask<Shown<EventFacts>>(
      `${pathOf(name)}/trigger-events/${encodeURIComponent(eventId)}${query}`,
      { method: "GET" },
    );
    return toDates<EventFacts>(shown, ["publishedAt", "evaluatedAt"]);
  }

  async hooks(name: string): Promise<DefinitionHook[]> {
    const { hooks } = await this.#connection.ask<{ hooks: DefinitionHook[] }>(
      `${pathOf(name)}/hooks`,
      { method: "GET" },
    );
    return hooks;
  }

  async once(name: string, key: JsonText): Promise<OnceHolder | undefined> {
    const query = new URLSearchParams({ key }).toString();
    const { holder } = await this.#connection.ask<{ holder: Shown<OnceHolder> | null }>(
      `${pathOf(name)}/once?${query}`,
      { method: "GET" },
    );
    return holder === null ? undefined : toDates<OnceHolder>(holder, ["startedAt"]);
  }

  async forgetOnce(name: string, key: JsonText, tx?: TransactionClient): Promise<boolean> {
    refuseTx(tx);
    const { changed } = await this.#connection.ask<{ changed: boolean }>(
      `${pathOf(name)}/once/forget`,
      { body: jsonOf({}, { values: key }) },
    );
    return changed;
  }
}

const pathOf = (name: string): string => `/v1/definitions/${encodeURIComponent(name)}`;
