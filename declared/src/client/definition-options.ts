/** Options of `definitionsOf(client)`. */
import type { Duration, TransactionOptions } from "@oxbow/sdk";
import type { OptionNames } from "@oxbow/sdk/internal/rooms";
import type { DefinitionDocument, DefinitionState, TestOrigin } from "../protocol/definitions.ts";
import type { TriggerEventState } from "../protocol/triggers.ts";

export interface CreateDefinitionOptions extends TransactionOptions {
  /** Folder that lists show it in. */
  readonly folder?: string;
  /** Members that the events which start its runs must contain, kept apart from the document. */
  readonly scope?: Readonly<Record<string, unknown>>;
  /** Whether the authors of a draft since the last version may not publish it. Default: false. */
  readonly isProtected?: boolean;
}

/** A change of what a definition has besides its document. Null removes it. */
export interface ConfigureOptions extends TransactionOptions {
  readonly folder?: string | null;
  readonly scope?: Readonly<Record<string, unknown>> | null;
  readonly isProtected?: boolean;
  /** The pool whose workers receive its runs from now on; null means the one that its document names. */
  readonly pool?: string | null;
}

/** Selects definitions. */
export interface DefinitionFilter {
  readonly folder?: string;
  readonly state?: DefinitionState;
  /** Text in the name or title. */
  readonly search?: string;
  /** Name of the last definition of the page before. */
  readonly after?: string;
  /** 1 to 1000. Default: 100. */
  readonly limit?: number;
}

/** The draft of a definition. */
export interface Draft {
  readonly document: DefinitionDocument;
  /** Pass it to `save` and `publish`. */
  readonly revision: number;
  readonly savedBy: string;
  readonly savedAt: Date;
  readonly layout: unknown;
}

export interface PublishOptions extends TransactionOptions {
  /** Shown with the version. */
  readonly note?: string;
  /**
   * Publishes without `tools`, straight to a database, which checks only whether nodes and edges form a graph and
   * stores no `settings` for the runs. A server checks nevertheless. Default: false.
   */
  readonly unchecked?: boolean;
}

export interface ApplyOptions extends PublishOptions {
  /** Publishes the drafts as well. Default: false. */
  readonly publish?: boolean;
  /** Replaces drafts that were changed and not published. Default: false. */
  readonly overwrite?: boolean;
}

/** What a node does in a test instead of its work. */
export interface DefinitionPin {
  readonly output?: unknown;
  /** The handle that it takes. Default: its first one. */
  readonly handle?: string;
  /** It fails with this error. */
  readonly error?: { readonly code?: string; readonly message?: string };
}

export interface TestNodeOptions {
  /** The document to test, which need not be saved. Default: the draft. */
  readonly document?: DefinitionDocument;
  /** Pins by node. */
  readonly pins?: Readonly<Record<string, DefinitionPin>>;
  /**
   * `mock`: nodes that read or write anything outside of the run take their pin, or a sample of their output. `real`: they
   * do their work, which requires the right to publish. Default: `mock`.
   */
  readonly effects?: "mock" | "real";
  /** A kept event: the input is what a trigger of the document makes of it. The guard is not asked. */
  readonly eventId?: string;
  /** Name of that trigger. Default: the only one that wants the topic of the event. */
  readonly trigger?: string;
  /** A past run of the definition, whose input is taken. */
  readonly fromRun?: string;
  /** Gives each node the result that it had in that run, unless `pins` has one. Default: false. */
  readonly pinResults?: boolean;
}

export interface TestDefinitionOptions extends TestNodeOptions {
  /** Id of a node after which the run ends, with its output. */
  readonly until?: string;
}

export interface TestDefinitionNodeOptions extends TestNodeOptions {
  readonly input?: unknown;
  /** The item of the loop that contains the node. */
  readonly item?: unknown;
  /** Time limit of the test. Default: 1m. */
  readonly timeout?: Duration;
}

export interface RerunDefinitionOptions {
  /** Default: that of the run. */
  readonly version?: number;
}

export interface FollowProgressOptions {
  /** Position of the last event that the caller has. Default: from the beginning. */
  readonly after?: string;
  /** Ends the iteration, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface MigrateOptions {
  /** Default: the published one. */
  readonly version?: number;
  /** How long to wait while a worker executes the run. Default: 10s. */
  readonly wait?: Duration;
}

export interface PauseOptions extends TransactionOptions {
  /** Shown with the definition. */
  readonly reason?: string;
}

/** A version, or one of the two documents that change. */
export type DocumentName = number | "draft" | "published";

export interface DiffOptions {
  readonly from?: DocumentName;
  readonly to?: DocumentName;
}

/** Selects events of triggers. */
export interface TriggerEventFilter {
  /** Definition whose triggers they reach. */
  readonly definition?: string;
  readonly topic?: string;
  readonly state?: TriggerEventState;
  /** Id of the last event of the page before. */
  readonly before?: string;
  /** 1 to 1000. Default: 50. */
  readonly limit?: number;
}

export interface ExplainOptions {
  readonly version?: number;
}

export const EVENTS: OptionNames<TriggerEventFilter> = {
  definition: true,
  topic: true,
  state: true,
  before: true,
  limit: true,
};
export const EXPLAIN: OptionNames<ExplainOptions> = { version: true };
export const DIFF: OptionNames<DiffOptions> = { from: true, to: true };
export const CREATE: OptionNames<CreateDefinitionOptions> = {
  folder: true,
  scope: true,
  isProtected: true,
  tx: true,
};
export const CONFIGURE: OptionNames<ConfigureOptions> = { ...CREATE, pool: true };
export const FILTER: OptionNames<DefinitionFilter> = {
  folder: true,
  state: true,
  search: true,
  after: true,
  limit: true,
};
export const PUBLISH: OptionNames<PublishOptions> = { note: true, unchecked: true, tx: true };
export const APPLY: OptionNames<ApplyOptions> = { ...PUBLISH, publish: true, overwrite: true };
const ORIGIN: OptionNames<TestOrigin> = {
  eventId: true,
  trigger: true,
  fromRun: true,
  pinResults: true,
};
export const TEST: OptionNames<TestDefinitionOptions> = {
  ...ORIGIN,
  document: true,
  pins: true,
  effects: true,
  until: true,
};
export const TEST_NODE: OptionNames<TestDefinitionNodeOptions> = {
  ...ORIGIN,
  document: true,
  pins: true,
  effects: true,
  input: true,
  item: true,
  timeout: true,
};
export const NOW: OptionNames<Pick<FollowProgressOptions, "signal">> = { signal: true };
export const FOLLOW: OptionNames<FollowProgressOptions> = { after: true, signal: true };
export const RERUN: OptionNames<RerunDefinitionOptions> = { version: true };
export const MIGRATE: OptionNames<MigrateOptions> = { version: true, wait: true };
export const PAUSE: OptionNames<PauseOptions> = { reason: true, tx: true };
