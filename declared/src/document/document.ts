/**
 * The document of a definition: a workflow as data. The meaning of a format never changes. `readDocument` turns unknown
 * JSON into a `Document`.
 */
import type { Binding } from "./binding.ts";
import type { Json, JsonObject } from "./json.ts";

/** The format that this package reads and writes. */
export const FORMAT = 1;

/** A JSON Schema. `{"$ref": "resource:Incident"}` names the schema of a resource type. */
export type JsonSchema = JsonObject | boolean;

/** Milliseconds, or text with a unit, such as "30s", "5m" or "7d". */
export type DocumentDuration = number | string;

/** A workflow as data. */
export interface Document {
  readonly format: typeof FORMAT;
  /** Name of the workflow: 1 to 43 of the characters a-z, 0-9, "_" and "-". */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Schema of the input. Default: any input. */
  readonly input?: JsonSchema;
  /** Schema of the output. Default: any output. */
  readonly output?: JsonSchema;
  /** The triggers of runs, by id. */
  readonly triggers?: Readonly<Record<string, Trigger>>;
  /** Uses of node types, by id: a letter and up to 31 of the characters a-z, 0-9 and "_". */
  readonly nodes: Readonly<Record<string, Node>>;
  readonly edges?: readonly Edge[];
  readonly settings?: Settings;
}

/** Starts runs of the workflow: by events, on a schedule, or by hand. */
export interface Trigger {
  /** A trigger type, a topic pattern, `webhook`, `run.ended`, `schedule` or `manual`. */
  readonly on: string;
  /** Guard in CEL: the event starts a run only if it is true. */
  readonly when?: string;
  /** Expressions in CEL: events for which all have the same values start one run together. */
  readonly once_for?: readonly string[];
  /** The input of the run. Default: the event. */
  readonly input?: Binding;
  /** Time between event and start. */
  readonly delay?: DocumentDuration;
  /** Asks the guard again after the delay. */
  readonly recheck?: boolean;
  /** Minute, hour, day of the month, month and day of the week of a `schedule`, or with the second first. */
  readonly cron?: string;
  /** Interval of a `schedule`, instead of `cron`, in whole seconds. */
  readonly every?: DocumentDuration;
  /** IANA name of the time zone of a `schedule` with `cron`. Default: `UTC`. */
  readonly time_zone?: string;
  /**
   * How deliveries of a `webhook` prove where they come from. `signature`: as Standard Webhooks; `github`: as GitHub;
   * `token`: the secret as a bearer token. Default: `signature`.
   */
  readonly verify?: "signature" | "github" | "token";
  /**
   * For a `webhook` with `github`, whose signature covers only the body: whether a body that was delivered in the last
   * 7 days is the same delivery (`once`), or another one if it has another id (`each`), which anyone who has seen a
   * delivery can give it. Default: `once`.
   */
  readonly identical?: "once" | "each";
}

/** Which of the edges into a node let it run. */
export type Join = "all" | "any" | { readonly count: number };

/** A use of a node type. */
export interface Node {
  /** Node type with version, such as `slack.post@2`. */
  readonly type: string;
  readonly title?: string;
  readonly params?: Binding;
  /** Id of the loop that contains the node. */
  readonly parent?: string;
  /** Guard in CEL: false skips the node. */
  readonly when?: string;
  /** Default: `all`. */
  readonly join?: Join;
  /** Whether a join `any` or `count` that fires abandons the nodes that lead only into it. Default: `abandon`. */
  readonly losers?: "abandon" | "finish";
  readonly retry?: NodeRetry;
  /** Time limit of each attempt. */
  readonly timeout?: DocumentDuration;
  /** `continue`: a failure counts as success with `fallback` as output. Default: `fail`. */
  readonly onError?: "fail" | "continue";
  readonly fallback?: Binding;
  /** Undoes the node if the run fails later. Default: the rollback of the node type, if it has one. */
  readonly rollback?: NodeRollback;
}

/** Attempts of a node. */
export interface NodeRetry {
  /** Total number of attempts: 1 to 1000. */
  readonly attempts?: number;
  readonly backoff?: {
    readonly kind?: "fixed" | "linear" | "exp";
    readonly base?: DocumentDuration;
    readonly max?: DocumentDuration;
    readonly jitter?: number;
  };
  /** Retries errors with these codes only. */
  readonly only?: readonly string[];
  /** Never retries errors with these codes. */
  readonly never?: readonly string[];
}

/** The call that undoes a node. Its bindings can also read `nodes.<id>.output` of that node. */
export interface NodeRollback {
  readonly type: string;
  readonly params?: Binding;
}

/** A connection of two nodes of the same loop, or outside of loops. */
export interface Edge {
  readonly from: string;
  /** The handle by which it leaves. Default: `out`. */
  readonly on?: string;
  readonly to: string;
}

/** Settings of the runs of a definition. */
export interface Settings {
  readonly retention?: DocumentDuration;
  readonly deadline?: DocumentDuration;
  readonly flowControl?: JsonObject;
  /** Nodes that run at the same time: 1 to 1000. Default: 50. */
  readonly maxParallel?: number;
  /** Fails the run as soon as a failure is final. Default: true. */
  readonly failFast?: boolean;
  /** Pauses the definition after this many failed runs in a row. */
  readonly pauseAfterFailures?: number;
  /** Workers that run it. Default: `default`. */
  readonly pool?: string;
  /** Offers it as a tool to language models. Default description: that of the document. */
  readonly expose?: boolean | { readonly description?: string };
}

/** Positions of nodes on a canvas, and notes. Stored apart from the document: moving a node makes no new version. */
export interface Layout {
  readonly nodes: Readonly<Record<string, readonly [x: number, y: number]>>;
  readonly notes?: Json;
}

/** The handle of an edge that doesn't name one. */
export const DEFAULT_HANDLE = "out";

/** The handle of an edge. */
export function handleOf(edge: Edge): string {
  return edge.on ?? DEFAULT_HANDLE;
}
