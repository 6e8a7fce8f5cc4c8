/**
 * The data interface of the editor: everything that it reads and writes. The application implements it for one
 * definition, so that the editor itself sends no request and needs no credential.
 */
import type { Document, Layout, Problem } from "@oxbow/declared/check";
import type { CatalogData, ResourceOption } from "./catalog-data.ts";

/** The draft of a definition. */
export interface Draft {
  /** The workflow as data. */
  readonly document: Document;
  /** Rises with each save; a save names the revision that it changes. */
  readonly revision: number;
}

export interface LoadedDraft extends Draft {
  /** Positions on the canvas. Nodes without one are placed automatically. */
  readonly layout?: Layout;
  /** The version that starts use. Absent before the first publication. */
  readonly publishedVersion?: number;
}

/** The answer to a save: the new revision, or the draft that someone saved in the meantime. */
export type SaveAnswer =
  | { readonly kind: "saved"; readonly revision: number }
  | { readonly kind: "conflict"; readonly theirs: Draft & { readonly by?: string } };

/** A version with its document. */
export interface Version {
  readonly version: number;
  readonly document: Document;
}

/** A version in a list. */
export interface ListedVersion {
  readonly version: number;
  /** Whether starts use it. */
  readonly isPublished: boolean;
  /** The time at which it was published. */
  readonly at: Date;
  /** Its author. */
  readonly by?: string;
  /** The reason for it, as its author gave it. */
  readonly note?: string;
  /** Runs of the version that haven't ended. */
  readonly openRuns?: number;
}

/** The answer to a publish: the version, the problems that prevent it, or a newer draft. */
export type PublishAnswer =
  | { readonly kind: "published"; readonly version: number }
  | { readonly kind: "invalid"; readonly problems: readonly Problem[] }
  | { readonly kind: "conflict" };

/** A run in a list. */
export interface ListedRun {
  readonly runId: string;
  /** Shown as it is, such as `completed`. */
  readonly status: string;
  readonly startedAt: Date;
  readonly version?: number;
}

/** The state of a node in a run. */
export type NodeState =
  | "idle"
  | "running"
  | "waiting"
  | "retrying"
  | "succeeded"
  | "failed"
  | "skipped"
  | "abandoned";

/** Takes the place of a step's work in a test. */
export interface TestPin {
  /** The output of the step. */
  readonly output?: unknown;
  /** The handle by which it ends. Default: its first one. */
  readonly handle?: string;
  /** The step fails with this error. */
  readonly error?: { readonly code?: string; readonly message?: string };
}

/** A test run of a document that need not be saved. */
export interface TestRequest {
  readonly document: Document;
  /** The input of the run. */
  readonly input?: unknown;
  /** Pins by node. */
  readonly pins: Readonly<Record<string, TestPin>>;
  /** `mock`: steps that read or write anything outside of the run take their pin, or a sample of their output. */
  readonly effects: "mock" | "real";
  /** The only node that is executed, with those before it as they are pinned. */
  readonly only?: string;
}

/** The state of an edge in a run. */
export type EdgeState = "open" | "taken" | "skipped" | "failed";

/** The states of a run's nodes and edges, as `progressOf` of `@oxbow/declared` computes them. */
export interface RunProgress {
  /** Status of the run. It changes until this is `completed`, `failed` or `cancelled`. */
  readonly status: string;
  /** The input of the run. */
  readonly input?: unknown;
  /** The output of the run. */
  readonly output?: unknown;
  /** The reason for which the run has failed. */
  readonly error?: string;
  /** The document of the run's version. */
  readonly document: Document;
  /** Nodes by path: `tell`, or `pack.17.reserve`; of an iteration that is a child run, `pack.17`. */
  readonly nodes: Readonly<Record<string, NodeState>>;
  /** States by index in the document: whether an edge outside of loops was taken. */
  readonly edges: Readonly<Record<number, EdgeState>>;
  /** The same of edges inside loops, by the path of the iteration: `pack.17`. */
  readonly loopEdges?: Readonly<Record<string, Readonly<Record<number, EdgeState>>>>;
  /** What the conditions (`when`) of nodes came to, by path. */
  readonly guards?: Readonly<Record<string, boolean | "failed">>;
  /** The journaled output or error of a node, by its path, and the way that it took if its type has several. */
  readonly values?: Readonly<
    Record<
      string,
      { readonly output?: unknown; readonly error?: unknown; readonly handle?: string }
    >
  >;
}

/** Finds resources of a type by a text, until the signal aborts. */
export type FindResources = (
  type: string,
  text: string,
  options: { readonly signal: AbortSignal },
) => Promise<readonly ResourceOption[]>;

/**
 * Reads and writes one definition. Each rejection is shown with its message. Only `load` and `catalog` are required: what
 * belongs to an absent function is not offered.
 */
export interface EditorData {
  /** Reads the draft. */
  readonly load: () => Promise<LoadedDraft>;
  /** Reads the node types and everything else that the definition may refer to. */
  readonly catalog: () => Promise<CatalogData>;
  /** Saves the draft if `revision` is still that of the stored one. Without it, the definition is only shown. */
  readonly save?: (draft: Draft) => Promise<SaveAnswer>;
  /** Saves positions, which have no revision: the last one wins. */
  readonly saveLayout?: (layout: Layout) => Promise<void>;
  /** Checks a document where more is known than the catalog contains. Its problems join those of the editor. */
  readonly validate?: (document: Document) => Promise<readonly Problem[]>;
  /**
   * Finds resources of a type by a text in their title or id: the first page of matches. Users may enter an id as well. The
   * signal aborts when the text has changed, or the field is left.
   */
  readonly findResources?: FindResources;
  /** Publishes the draft with this revision. */
  readonly publish?: (draft: {
    readonly revision: number;
    readonly note?: string;
  }) => Promise<PublishAnswer>;
  /** Lists versions, the newest first. */
  readonly versions?: () => Promise<readonly ListedVersion[]>;
  /** Reads a version. */
  readonly version?: (version: number) => Promise<Version>;
  /** Lists the latest runs, the newest first. */
  readonly runs?: () => Promise<readonly ListedRun[]>;
  /** Reads the progress of a run: of a test, with the document that it executes. */
  readonly progress?: (runId: string, document?: Document) => Promise<RunProgress>;
  /**
   * Yields the progress of a run now, and again when it has changed, until the run ends or the signal aborts. Without
   * it, `progress` is called every few seconds.
   */
  readonly followProgress?: (
    runId: string,
    options: { readonly document?: Document; readonly signal: AbortSignal },
  ) => AsyncIterable<RunProgress>;
  /**
   * Finds the child run of an iteration, by the path of that, such as `pack.17`; undefined if it does not exist.
   * Without it, child runs of iterations are not offered.
   */
  readonly itemRun?: (runId: string, path: string) => Promise<string | undefined>;
  /** Starts a test run. Its progress is read by `progress`. */
  readonly test?: (request: TestRequest) => Promise<{ readonly runId: string }>;
  /** Ends a test run, if it is in progress, and deletes it. */
  readonly deleteTest?: (runId: string) => Promise<void>;
  /** Whether tests may do the work of steps that read or write anything outside of the run. Default: false. */
  readonly mayTestEffects?: boolean;
}
