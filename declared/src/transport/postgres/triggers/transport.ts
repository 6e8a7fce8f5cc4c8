/** Triggers, straight to the database. An event is a message, so waiting for one is waiting for messages of a queue. */
import type { JsonText, RoomQueries, MessageWaits } from "@oxbow/sdk/internal/rooms";
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
  TriggerRetentionTransport,
  TriggerTransport,
} from "../../../protocol/triggers.ts";
import {
  onceForget,
  onceGet,
  triggerCommit,
  triggerDeclare,
  triggerEvents,
  triggerExplain,
  triggerHooks,
  triggerReceive,
  triggerSweep,
  triggerTypes,
} from "./functions.ts";

export class PostgresTriggerTransport implements TriggerTransport, TriggerRetentionTransport {
  readonly #queries: RoomQueries;
  readonly #queues: MessageWaits;

  constructor(queries: RoomQueries, queues: MessageWaits) {
    this.#queries = queries;
    this.#queues = queues;
  }

  declare({ pool, types, replace }: DeclareTriggerTypesRequest): Promise<number> {
    return this.#queries.value(triggerDeclare, [pool, JSON.stringify(types), replace]);
  }

  types({ pool, definition }: CatalogFilter): Promise<DeclaredTriggerType[]> {
    return this.#queries.query(triggerTypes, [pool ?? null, definition ?? null]);
  }

  async receive({
    pool,
    max,
    leaseMs,
    waitMs,
    knownEpoch,
    signal,
  }: ReceiveEventsRequest): Promise<TriggerBatch> {
    let batch: TriggerBatch = { epoch: knownEpoch ?? "0", triggers: [], events: [] };
    await this.#queues.await({ queue: `__tr_${pool}`, max, waitMs, signal }, async () => {
      const row = await this.#queries.queryOne(
        triggerReceive,
        [pool, max, leaseMs / 1_000, knownEpoch ?? null],
        { isPrompt: true, giveUp: signal },
      );
      batch = { ...row, triggers: row.triggers ?? [] };
      return [...row.events];
    });
    return batch;
  }

  async commit(
    pool: string,
    events: readonly EventReport[],
    matches: readonly MatchReport[],
  ): Promise<string[]> {
    const rows = await this.#queries.query(
      triggerCommit,
      [pool, JSON.stringify(events), JSON.stringify(matches)],
      // The second time the leases are lost, or the runs exist.
      { repeatable: true },
    );
    return rows.map(({ value }) => value);
  }

  events({
    name,
    topic,
    state,
    before,
    maxEvents,
  }: TriggerEventConditions): Promise<TriggerEvent[]> {
    return this.#queries.query(triggerEvents, [
      name ?? null,
      topic ?? null,
      state ?? null,
      before ?? null,
      maxEvents,
    ]);
  }

  facts(name: string, eventId: string, version: number | undefined): Promise<EventFacts> {
    return this.#queries.queryOne(triggerExplain, [name, eventId, version ?? null]);
  }

  async once(name: string, key: JsonText): Promise<OnceHolder | undefined> {
    const [holder] = await this.#queries.query(onceGet, [name, key]);
    return holder;
  }

  forgetOnce(name: string, key: JsonText, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(onceForget, [name, key], { tx });
  }

  sweep(maxEvents: number): Promise<number> {
    return this.#queries.value(triggerSweep, [maxEvents]);
  }

  async hooks(name: string): Promise<DefinitionHook[]> {
    const hooks = await this.#queries.query(triggerHooks, [name, null]);
    return hooks.map(({ hookId, trigger, verify }) => ({
      trigger,
      path: `/v1/hooks/${hookId}`,
      verify,
      secrets: [],
    }));
  }
}
