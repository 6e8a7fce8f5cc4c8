/** Definitions: workflows as data. One method a SQL function, and what only a server can do. */
import { type TransactionClient } from "@oxbow/sdk";
import {
  type DefinitionProblem,
  type JsonText,
  RevisionConflict,
  type RunTransport,
  type StartedRun,
  type StartRequest,
} from "@oxbow/sdk/internal/rooms";
import type { DefinitionProgress, DefinitionProgressEvent } from "./definition-progress.ts";
import type { EventExplanation } from "./triggers.ts";

/** The document of a definition: a graph of nodes as JSON. `@oxbow/declared` has its type. */
export type DefinitionDocument = Readonly<Record<string, unknown>>;

/** `draft` until it is first published. A paused or archived definition starts no runs. */
export type DefinitionState = "draft" | "published" | "paused" | "archived";

/** A definition as `definitions.list` returns it. */
export interface DefinitionSummary {
  readonly name: string;
  readonly title: string | null;
  readonly folder: string | null;
  /** Workers that run the published version. */
  readonly pool: string;
  /** Members that the events which start its runs must contain. */
  readonly scope: unknown;
  readonly state: DefinitionState;
  /** Number of the draft, which a save names. */
  readonly revision: number;
  readonly draftBy: string;
  readonly draftedAt: Date;
  /** Whether the draft differs from what is published. */
  readonly hasChanges: boolean;
  readonly publishedVersion: number | null;
  readonly publishedAt: Date | null;
  readonly publishedBy: string | null;
  readonly createdAt: Date;
  readonly pausedAt: Date | null;
  readonly pauseReason: string | null;
  readonly archivedAt: Date | null;
  /** Whether the authors of a draft since the last version may not publish it. */
  readonly isProtected: boolean;
}

/** A definition with its draft. */
export interface DefinitionRecord extends DefinitionSummary {
  readonly draft: DefinitionDocument;
  /** Positions of the draft's nodes; null if no positions were stored. */
  readonly layout: unknown;
}

/** A version of a definition. */
export interface DefinitionVersion {
  readonly version: number;
  readonly state: "published" | "archived";
  /** Equal for equal documents. */
  readonly hash: string;
  readonly publishedAt: Date;
  readonly publishedBy: string;
  readonly note: string | null;
}

/** A version with its document. */
export interface VersionedDocument {
  readonly name: string;
  readonly version: number;
  /** `test`: of a test run. */
  readonly state: "published" | "archived" | "test";
  readonly pool: string;
  readonly hash: string;
  readonly document: DefinitionDocument;
  /** Derived from the document by the checker; null if it was not asked. */
  readonly compiled: unknown;
  readonly layout: unknown;
}

/** A document as workers read it. */
export interface ServedDocument {
  readonly name: string;
  readonly version: number;
  readonly document: DefinitionDocument;
  /** Options of the test run that the version is for; null or absent for a published version. */
  readonly test?: unknown;
}

/** The result of `definitions.publish`. */
export interface PublishedDefinition {
  readonly version: number;
  /** False if the draft was published before. */
  readonly created: boolean;
}

/** The result of `definitions.apply` for a definition. */
export interface AppliedDefinition {
  readonly name: string;
  /** Outcome for the draft. */
  readonly outcome: "created" | "changed" | "unchanged";
  readonly revision: number;
  /** The published version, or null. */
  readonly version: number | null;
}

/** Makes a change that the database records with its author. */
interface AuthoredRequest {
  /** Actor; undefined for the role that logged in, or the token. */
  readonly actor: string | undefined;
}

interface CreateDefinitionRequest extends AuthoredRequest {
  readonly name: string;
  readonly document: JsonText | undefined;
  readonly folder: string | undefined;
  readonly scope: JsonText | undefined;
  readonly isProtected: boolean | undefined;
}

export interface SaveDraftRequest extends AuthoredRequest {
  readonly name: string;
  readonly document: JsonText;
  /** Revision of the draft that the document replaces. */
  readonly revision: number;
}

interface PublishDefinitionRequest extends AuthoredRequest {
  readonly name: string;
  readonly revision: number;
  /** A server asks its own checker. */
  readonly compiled: JsonText | undefined;
  readonly note: string | undefined;
}

interface RestoreDefinitionRequest extends AuthoredRequest {
  readonly name: string;
  readonly version: number;
  readonly revision: number;
}

interface ConfigureDefinitionRequest {
  readonly name: string;
  /** Empty: none. */
  readonly folder: string | undefined;
  /** JSON null for no scope. */
  readonly scope: JsonText | undefined;
  readonly isProtected: boolean | undefined;
  /** Empty: that of the document. */
  readonly pool: string | undefined;
}

interface ApplyDefinitionsRequest extends AuthoredRequest {
  readonly documents: readonly JsonText[];
  readonly publish: boolean;
  /** Compiled versions, by document. A server asks its own checker. */
  readonly compiled: readonly (JsonText | null)[] | undefined;
  readonly note: string | undefined;
  readonly overwrite: boolean;
}

/** Starts a test run. */
interface TestDefinitionRequest extends AuthoredRequest {
  readonly name: string;
  /** The document to run; undefined for the draft. */
  readonly document: JsonText | undefined;
  readonly input: JsonText | undefined;
  /** Pinned outcomes, by node. */
  readonly pins: JsonText | undefined;
  /** An object with until, only, item and effects. */
  readonly options: JsonText | undefined;
  /** Only through a server, which reads the input and the pins itself. */
  readonly origin?: TestOrigin;
}

/** Moves a run to another version of its definition. */
interface MigrateRunRequest {
  readonly name: string;
  readonly runId: string;
  readonly version: number;
  /**
   * The state that was compared with the version: an object with version, rows and pending; undefined if no state was
   * compared.
   */
  readonly compared: JsonText | undefined;
}

/** `advanced`: the run has changed since it was compared; `executing`: a worker executes it. */
export type MigrationOutcome = "migrated" | "unchanged" | "advanced" | "executing" | "ended";

interface StartedTest {
  readonly runId: string;
}

/** The result of a test of one node. */
export interface TestedNode {
  readonly runId: string;
  /** Its parameters, with their bindings resolved. */
  readonly input: unknown;
  /** The handle that it took; `error` if it failed. */
  readonly handle: string;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
  readonly log: readonly { readonly level: string; readonly message: string }[];
  readonly attempts: number;
  readonly durationMs: number;
}

/** Selects a page of definitions, in the order of names. */
interface DefinitionConditions {
  /** Exactly this one. */
  readonly name?: string | undefined;
  readonly folder?: string | undefined;
  readonly state?: DefinitionState | undefined;
  /** Text in the name or title. */
  readonly search?: string | undefined;
  /** Name of the last definition of the page before. */
  readonly after?: string | undefined;
  readonly maxDefinitions: number;
}

/** A value of the environment that definitions name. It is no secret. */
export interface ConfigValue {
  readonly name: string;
  readonly value: unknown;
  readonly changedAt: Date;
  /** Actor that set it. */
  readonly changedBy: string;
}

/** A request of a node that a sandbox did not send. */
export interface CapturedRequest {
  readonly runId: string;
  /** Its idempotency key: the attempts of a node are one request. */
  readonly key: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined without a body. */
  readonly body?: unknown;
}

/** A difference between two documents. */
export interface DefinitionChange {
  readonly kind: "added" | "removed" | "changed";
  /** Id of the node that differs, if the change belongs to one. */
  readonly node?: string;
  /** Where it is, as a JSON Pointer: in the old document if removed, else in the new one. */
  readonly pointer: string;
  /** Absent if added. */
  readonly from?: unknown;
  /** Absent if removed. */
  readonly to?: unknown;
}

/** The run that is to move, and where to. */
export interface Migrating {
  readonly name: string;
  readonly runId: string;
  /** Version to migrate to; undefined for the published one. */
  readonly version: number | undefined;
  /** How long to wait while a worker executes it. */
  readonly waitMs: number;
}

/** The result of a migration. */
export interface MigratedRun {
  readonly runId: string;
  /** False if the run had the version. */
  readonly migrated: boolean;
  readonly from: number;
  readonly to: number;
}

/** The run that is repeated, and from where. */
export interface RerunningFromNode {
  readonly name: string;
  readonly runId: string;
  /** Path of the node: `page`, or `pack.17.reserve` in a loop. */
  readonly node: string;
  /** Version of the new run; undefined for the version of the run. */
  readonly version: number | undefined;
}

/** The result of `definitions.rerun`. */
export interface RerunFromNode {
  /** Id of the new run. */
  readonly runId: string;
  /** The step or decision from which it departs from the journal of the old one. */
  readonly fromStep: string;
  readonly version: number;
}

/** Where a test run gets its input from, and what its nodes do. */
export interface TestOrigin {
  /** A kept event, as which a trigger of the document gives the input. */
  readonly eventId?: string | undefined;
  /** Name of the trigger. */
  readonly trigger?: string | undefined;
  /** A past run of the definition, whose input is taken. */
  readonly fromRun?: string | undefined;
  /** Pins each node to the result that it had in the past run. */
  readonly pinResults?: boolean | undefined;
}

export interface DefinitionTransport {
  create(request: CreateDefinitionRequest, tx?: TransactionClient): Promise<number>;
  saveDraft(request: SaveDraftRequest, tx?: TransactionClient): Promise<number>;
  publish(request: PublishDefinitionRequest, tx?: TransactionClient): Promise<PublishedDefinition>;
  restore(request: RestoreDefinitionRequest, tx?: TransactionClient): Promise<number>;
  archive(name: string, tx?: TransactionClient): Promise<boolean>;
  delete(name: string, tx?: TransactionClient): Promise<boolean>;
  /** @param version Undefined for the draft. */
  move(name: string, layout: JsonText, version?: number, tx?: TransactionClient): Promise<void>;
  pause(name: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean>;
  resume(name: string, tx?: TransactionClient): Promise<boolean>;
  configure(request: ConfigureDefinitionRequest, tx?: TransactionClient): Promise<boolean>;
  apply(request: ApplyDefinitionsRequest, tx?: TransactionClient): Promise<AppliedDefinition[]>;
  /** @param hasEncodedInput A codec has encoded the input, so that a server can't compare it with the schema. */
  start(
    request: StartRequest & { readonly hasEncodedInput?: boolean },
    tx?: TransactionClient,
  ): Promise<StartedRun>;

  test(request: TestDefinitionRequest, tx?: TransactionClient): Promise<StartedTest>;
  deleteTest(name: string, runId: string, tx?: TransactionClient): Promise<boolean>;
  /** Moves a run in progress to another version, if it hasn't changed since the comparison. */
  migrate(request: MigrateRunRequest, tx?: TransactionClient): Promise<MigrationOutcome>;

  get(name: string, tx?: TransactionClient): Promise<DefinitionRecord | undefined>;
  list(conditions: DefinitionConditions): Promise<DefinitionSummary[]>;
  versions(name: string): Promise<DefinitionVersion[]>;
  /** @param version Undefined for the published one. */
  document(name: string, version: number | undefined): Promise<VersionedDocument | undefined>;
  /** The published documents of these definitions. */
  documents(names: readonly string[]): Promise<VersionedDocument[]>;
  /** Rises with each change to what workers serve. */
  epoch(): Promise<string>;

  /** Reads documents for a worker: those that exist. */
  servedDocuments(
    versions: readonly Pick<ServedDocument, "name" | "version">[],
  ): Promise<ServedDocument[]>;

  config(): Promise<ConfigValue[]>;
  /** For workers. @param names - Only these; undefined for all. */
  servedConfig(names: readonly string[] | undefined): Promise<ConfigValue[]>;
  /** For workers: whether the database is a sandbox, which sends nothing to the outside. */
  isSandbox(): Promise<boolean>;
  /** For workers: lists a request that a node has not sent because the database is a sandbox. */
  captureRequest(request: CapturedRequest): Promise<boolean>;
  setConfig(name: string, value: JsonText, tx?: TransactionClient): Promise<boolean>;
  deleteConfig(name: string, tx?: TransactionClient): Promise<boolean>;

  /** The checker of the server; undefined for a direct connection to the database, which has no checker. */
  readonly remote: RemoteDefinitionTools | undefined;
}

/** The work of a server, because it has the checker. */
export interface RemoteDefinitionTools {
  /** @param document Undefined for the draft. */
  validate(name: string, document: JsonText | undefined): Promise<readonly DefinitionProblem[]>;
  /** @param from, to A version, `draft` or `published`. */
  diff(name: string, from: string, to: string): Promise<readonly DefinitionChange[]>;
  /** @param version Undefined for the published one. */
  explain(name: string, eventId: string, version: number | undefined): Promise<EventExplanation>;
  migrate(migrating: Migrating): Promise<MigratedRun>;
  rerun(rerunning: RerunningFromNode): Promise<RerunFromNode>;
  progress(runId: string, signal: AbortSignal): Promise<DefinitionProgress>;
  /** @param after Position of the last event that the caller has; undefined before the first. */
  followProgress(
    runId: string,
    after: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<DefinitionProgressEvent>;
}

/** The result of a test of one node, whose run has completed with this output. */
export async function readTestedNode(
  runs: Pick<RunTransport, "getJournal">,
  { runId, node, output }: { runId: string; node: string; output: unknown },
): Promise<TestedNode> {
  const step = (await runs.getJournal(runId)).find(({ name }) => name === node);
  const times = step === undefined ? 0 : step.completedAt.getTime() - step.startedAt.getTime();
  return {
    ...(output as Omit<TestedNode, "runId" | "attempts" | "durationMs">),
    runId,
    attempts: step?.attempts ?? 1,
    durationMs: times,
  };
}

/** The error when a caller publishes another revision than the draft has. */
export function revisionConflict(found: DefinitionRecord, given: number): RevisionConflict {
  const { name, revision, draftBy: savedBy, draftedAt } = found;
  return new RevisionConflict(
    `Draft of definition "${name}" has revision ${revision}, not ${given}: "${savedBy}" saved it. Get the draft, check it, and publish its revision.`,
    { facts: { revision, savedBy, savedAt: draftedAt.toISOString() } },
  );
}
