/** Triggers of definitions, through the server. */
import { jsonOf, type JsonText, type Shown, toDates } from "@oxbow/sdk/internal/rooms";
import type { TransactionClient } from "@oxbow/sdk";
import type {
  CatalogFilter,
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
import { queryOf, ServerRoom } from "./server-room.ts";

const WORKER = "/v1/worker/triggers";

export class HttpTriggerTransport extends ServerRoom implements TriggerTransport {
  declare({ pool, types, replace }: DeclareTriggerTypesRequest): Promise<number> {
    return this.ask("changed", `${WORKER}/types`, {
      body: JSON.stringify({ pool, types, replace }),
      repeatable: true,
    });
  }

  async types(conditions: CatalogFilter): Promise<DeclaredTriggerType[]> {
    const path = `/v1/trigger-types${queryOf({ ...conditions })}`;
    const types = await this.ask<Shown<DeclaredTriggerType>[]>("types", path);
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
    return this.connection.ask<TriggerBatch>(`${WORKER}/receive`, {
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

  commit(
    pool: string,
    events: readonly EventReport[],
    matches: readonly MatchReport[],
  ): Promise<string[]> {
    return this.ask("held", `${WORKER}/commit`, {
      body: JSON.stringify({ pool, events, matches }),
      repeatable: true,
    });
  }

  async events({
    name: definition,
    maxEvents: limit,
    ...conditions
  }: TriggerEventConditions): Promise<TriggerEvent[]> {
    const query = queryOf({ definition, limit, ...conditions });
    const events = await this.ask<Shown<TriggerEvent>[]>("events", `/v1/trigger-events${query}`);
    return events.map((shown) => toDates<TriggerEvent>(shown, ["publishedAt", "evaluatedAt"]));
  }

  async facts(name: string, eventId: string, version: number | undefined): Promise<EventFacts> {
    const shown = await this.connection.ask<Shown<EventFacts>>(
      `${pathOf(name)}/trigger-events/${encodeURIComponent(eventId)}${queryOf({ version })}`,
      { method: "GET" },
    );
    return toDates<EventFacts>(shown, ["publishedAt", "evaluatedAt"]);
  }

  hooks(name: string): Promise<DefinitionHook[]> {
    return this.ask("hooks", `${pathOf(name)}/hooks`);
  }

  async once(name: string, key: JsonText): Promise<OnceHolder | undefined> {
    const path = `${pathOf(name)}/once${queryOf({ key })}`;
    const holder = await this.ask<Shown<OnceHolder> | null>("holder", path);
    return holder === null ? undefined : toDates<OnceHolder>(holder, ["startedAt"]);
  }

  forgetOnce(name: string, key: JsonText, tx?: TransactionClient): Promise<boolean> {
    const body = jsonOf({}, { values: key });
    return this.ask("changed", `${pathOf(name)}/once/forget`, { body }, tx);
  }
}

const pathOf = (name: string): string => `/v1/definitions/${encodeURIComponent(name)}`;
