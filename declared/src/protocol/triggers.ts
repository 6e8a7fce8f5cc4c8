/** Triggers of definitions: the events that start runs, for workers that evaluate them and for people who ask why not. */
import type { JsonText } from "@oxbow/sdk/internal/rooms";
import type { TransactionClient } from "@oxbow/sdk";

/** A trigger type, as workers declare it. */
interface TriggerTypeDeclaration {
  readonly name: string;
  /** Pattern of the topics of its events. */
  readonly topic: string;
  /** Members of the event that workers load. */
  readonly loaded: readonly string[];
  /** JSON Schema of the event. */
  readonly schema: unknown;
}

interface DeclareTriggerTypesRequest {
  readonly pool: string;
  readonly types: readonly TriggerTypeDeclaration[];
  /** Whether to replace what is declared; false only reports that a worker knows the types. */
  readonly replace: boolean;
}

/** A trigger of a published version that is new to the worker, or has changed. */
export interface ChangedTrigger {
  readonly definition: string;
  readonly version: number;
  readonly name: string;
  /** Subscription by which its events arrive; null for a trigger without one. */
  readonly subscriptionId: string | null;
  /** As it is in the document. */
  readonly spec: unknown;
  /** Members that its type loads: a worker that doesn't load them can't evaluate the guard. */
  readonly loads: readonly string[];
  /** Its definition has moved to another pool. Absent from older databases. */
  readonly isGone?: boolean;
}

/** An event that a worker has leased. */
export interface TriggerDelivery {
  readonly eventId: string;
  /** Proof of the lease. */
  readonly receipt: string;
  /** Counting this one. */
  readonly attempts: number;
  /** Milliseconds since 1970, by the database's clock. */
  readonly publishedAt: number;
  readonly topic: string;
  readonly message: unknown;
  /** Subscriptions of the triggers that want it. */
  readonly subscriptionIds: readonly string[];
  /** It is for no other trigger. */
  readonly only: {
    readonly definition: string;
    readonly trigger: string;
    /** The guard is asked again, after a delay. */
    readonly recheck?: boolean;
  } | null;
}

export interface TriggerBatch {
  /** Pass it to the next call. */
  readonly epoch: string;
  readonly triggers: readonly ChangedTrigger[];
  readonly events: readonly TriggerDelivery[];
}

interface ReceiveEventsRequest {
  readonly pool: string;
  readonly max: number;
  readonly leaseMs: number;
  readonly waitMs: number;
  /** Epoch of the last batch; undefined if the worker knows no triggers. */
  readonly knownEpoch: string | undefined;
  readonly signal: AbortSignal;
}

/** The result of an evaluation. */
export interface EventReport {
  readonly receipt: string;
  /**
   * `evaluated` and `failed` acknowledge it; after `retry` it is delivered again, and after `more` another commit of it
   * follows. `release` gives it back uncounted, for a worker that knows its types.
   */
  readonly state: "evaluated" | "failed" | "retry" | "release" | "more";
  /** Of `retry`, `release` and `more`. */
  readonly delaySeconds?: number;
  readonly error?: string;
  /** Members that were loaded, by trigger type. */
  readonly loaded?: Readonly<Record<string, unknown>>;
}

/** A trigger that an event matched, or whose guard failed. */
export interface MatchReport {
  readonly receipt: string;
  readonly definition: string;
  readonly version: number;
  readonly trigger: string;
  /** `withdrawn`: the guard no longer holds after a delay. */
  readonly outcome: "start" | "failed" | "withdrawn";
  readonly error?: string;
  /** Input of the run. */
  readonly input?: unknown;
  /** The values of `once_for`, as canonical JSON. */
  readonly onceKey?: string;
  readonly delaySeconds?: number;
  readonly recheck?: boolean;
}

/** The outcome for a trigger that an event matched. */
export interface TriggerMatch {
  readonly definition: string;
  readonly trigger: string;
  readonly version: number;
  /**
   * `once`: an earlier event with the same values of `once_for` has a run; `delayed`: the guard is asked again at `dueAt`;
   * `withdrawn`: it no longer held then; `paused`: so was the definition; `failed`: so did the guard.
   */
  readonly outcome: "started" | "once" | "delayed" | "withdrawn" | "paused" | "failed";
  readonly error: string | null;
  /** For `once`, the run of the earlier event. */
  readonly runId: string | null;
  /** ISO 8601. */
  readonly dueAt: string | null;
  readonly onceKey: string | null;
}

/** `retrying`: after a failed load; `refused`: too many runs led to it. */
export type TriggerEventState = "evaluated" | "retrying" | "failed" | "refused";

/** An event that triggers were evaluated for. */
export interface TriggerEvent {
  readonly eventId: string;
  readonly publishedAt: Date;
  readonly evaluatedAt: Date;
  readonly pool: string;
  readonly topic: string;
  readonly state: TriggerEventState;
  readonly error: string | null;
  readonly attempts: number;
  /** How many runs that triggers started led to it. */
  readonly depth: number;
  readonly message: unknown;
  /** Up to 100. */
  readonly matches: readonly TriggerMatch[];
}

/** Selects events, the newest first. */
interface TriggerEventConditions {
  /** Definition whose triggers they reach. */
  readonly name: string | undefined;
  readonly topic: string | undefined;
  readonly state: TriggerEventState | undefined;
  /** Id of the last event of the page before. */
  readonly before: string | undefined;
  readonly maxEvents: number;
}

/** Everything that decides whether a trigger starts a run for an event, but for its guard. */
export interface TriggerFacts {
  readonly name: string;
  readonly kind: "topic" | "run.ended" | "webhook" | "schedule" | "manual";
  readonly spec: unknown;
  readonly pattern: string | null;
  /** JSON that a message must contain; null for any; false if no message can. */
  readonly filter: unknown;
  readonly matchesTopic: boolean;
  readonly matchesFilter: boolean;
  /** Whether the definition had the trigger when the event was published. */
  readonly wasListening: boolean;
  readonly match: TriggerMatch | null;
}

/** Everything that decides whether an event starts runs of a definition. */
export interface EventFacts {
  readonly eventId: string;
  readonly publishedAt: Date;
  readonly evaluatedAt: Date;
  readonly topic: string;
  readonly state: TriggerEventState;
  readonly error: string | null;
  readonly depth: number;
  readonly message: unknown;
  /** Members that were loaded, by trigger type. */
  readonly loaded: unknown;
  /** The version that has the triggers; null before the first publication. */
  readonly version: number | null;
  readonly definitionState: "draft" | "published" | "paused" | "archived";
  readonly pauseReason: string | null;
  readonly triggers: readonly TriggerFacts[];
}

/** The event and the run that hold a combination of values of `once_for`. */
export interface OnceHolder {
  readonly eventId: string;
  /** It may have been deleted since. */
  readonly runId: string | null;
  readonly startedAt: Date;
  readonly trigger: string;
}

/** One of the conditions that a guard joins by `&&`. */
export interface TriggerCondition {
  readonly text: string;
  /** Null if it failed. */
  readonly holds: boolean | null;
  /** Why it failed. */
  readonly error?: string;
  /** The values that it read, as JSON of at most 200 characters, by path. */
  readonly values: Readonly<Record<string, string>>;
}

/** Why a trigger started a run for an event, or didn't. */
export interface TriggerExplanation {
  readonly name: string;
  /** A trigger type, a topic pattern, `webhook`, `run.ended`, `schedule` or `manual`. */
  readonly on: string;
  /**
   * The first of these that applies. Something happened: those of `TriggerMatch`. Nothing did: `other-topic`; `filtered`, by
   * the scope of the definition or by what the guard implies; `refused`; `not-listening`: the trigger is newer than the
   * event; `guard`: it doesn't hold; `waiting`: the event is evaluated again. `matches`: this version would start a run.
   */
  readonly verdict:
    | TriggerMatch["outcome"]
    | "other-topic"
    | "filtered"
    | "refused"
    | "not-listening"
    | "guard"
    | "waiting"
    | "matches";
  /** A sentence. */
  readonly reason: string;
  /** The run that it started, or that holds the values of `once_for`. */
  readonly runId: string | null;
  readonly pattern: string | null;
  /** JSON that a message must contain; null for any. */
  readonly filter: unknown;
  /** Whether the guard holds; null if it failed. True without a guard. */
  readonly guardHolds: boolean | null;
  readonly guardError?: string;
  readonly conditions: readonly TriggerCondition[];
  /** The values of `once_for`, as canonical JSON; null if the trigger has no such values, or they failed. */
  readonly onceKey: string | null;
  /** The event that took them first. */
  readonly onceHolder: OnceHolder | null;
}

/** The result of an event for a definition. */
export interface EventExplanation extends Omit<EventFacts, "triggers" | "loaded"> {
  readonly triggers: readonly TriggerExplanation[];
}

/** Selects a part of the catalog. */
export interface CatalogFilter {
  /** Only the types of this pool, as in the settings of documents. Default: all pools. */
  readonly pool?: string | undefined;
  /** Only those of the pool in which this definition is published. It counts more than `pool` if `configure` has set one. */
  readonly definition?: string | undefined;
}

/** A trigger type that workers of a pool have declared. */
export interface DeclaredTriggerType {
  readonly pool: string;
  /** Name by which triggers refer to it. */
  readonly name: string;
  /** Pattern of the topics of its events. */
  readonly topic: string;
  /** Members of the event that workers load: topics can't filter by them. */
  readonly loaded: readonly string[];
  /** JSON Schema of the event with what is loaded; null for any event. */
  readonly eventSchema: unknown;
  /** The time at which a worker declared it last with another content. */
  readonly declaredAt: Date;
}

export interface TriggerTransport {
  /** @returns How many types are new or have changed. */
  declare(request: DeclareTriggerTypesRequest): Promise<number>;
  types(conditions: CatalogFilter): Promise<DeclaredTriggerType[]>;
  /** Waits for events, and leases them. Rejects when the signal aborts. */
  receive(request: ReceiveEventsRequest): Promise<TriggerBatch>;
  /** @returns The receipts whose leases were alive. */
  commit(
    pool: string,
    events: readonly EventReport[],
    matches: readonly MatchReport[],
  ): Promise<string[]>;

  events(conditions: TriggerEventConditions): Promise<TriggerEvent[]>;
  /** @param version Undefined for the published one. */
  facts(name: string, eventId: string, version: number | undefined): Promise<EventFacts>;
  /** @param key The values as canonical JSON. */
  once(name: string, key: JsonText): Promise<OnceHolder | undefined>;
  forgetOnce(name: string, key: JsonText, tx?: TransactionClient): Promise<boolean>;
  /** Lists the webhooks of a definition, by trigger. */
  hooks(name: string): Promise<DefinitionHook[]>;
}

/** A webhook trigger that is in force. */
export interface TriggerHook {
  readonly hookId: string;
  readonly definition: string;
  readonly trigger: string;
  /** How its deliveries prove where they come from. */
  readonly verify: "signature" | "github" | "token";
  /** With `github`: whether a body that was delivered before is the same delivery. */
  readonly identical: "once" | "each";
  readonly createdAt: Date;
}

/** A webhook trigger, for the people who enter its address in another system. */
export interface DefinitionHook {
  readonly trigger: string;
  /** Path of the server, to which deliveries are posted. */
  readonly path: string;
  readonly verify: TriggerHook["verify"];
  /** For the sender; the current one comes first. Only servers have them: empty straight from the database. */
  readonly secrets: readonly string[];
}

/** Webhooks, which a server receives and verifies. */
export interface TriggerHookTransport {
  /** Lists the webhooks of a definition, by trigger. */
  ofDefinition(name: string): Promise<TriggerHook[]>;
  find(hookId: string): Promise<TriggerHook | undefined>;
  /**
   * Receives a delivery that was verified, as an event.
   *
   * @param deliveryId The identity of the delivery, which the server derives: a second delivery with the same id is the
   *   same event. With null, each delivery is an event.
   * @returns Undefined if no such trigger is in force.
   */
  receive(
    hookId: string,
    message: unknown,
    deliveryId: string | null,
  ): Promise<{ readonly eventId: string; readonly isNew: boolean } | undefined>;
}

/** Limits how long events are kept. */
export interface TriggerRetentionTransport {
  /** Deletes a batch of events that have expired. Returns how many it deleted. */
  sweep(maxEvents: number): Promise<number>;
}
