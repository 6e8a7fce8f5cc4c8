/** The things that a document may refer to. Everything is in memory: the checker does no I/O. */
import type { JsonSchema } from "../document/document.ts";
import type { NodeTypeDescription } from "../nodes/descriptor.ts";
import { BUILT_IN_NODE_TYPES } from "../nodes/descriptors/built-in.ts";

export interface TriggerDescription {
  /** Schema of the event. Default: any. */
  readonly event?: JsonSchema;
  /** Members of the event that are loaded after delivery, so that topics can't filter by them. */
  readonly loaded?: readonly string[];
}

export interface WorkflowDescription {
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
  /** Names of the workflows that it runs. */
  readonly runs?: readonly string[];
}

interface ConfigDescription {
  readonly schema?: JsonSchema;
  /** Whether only workers may have a value of this name, since the database has no such value: that is a warning. */
  readonly isGuess?: boolean;
}

interface ResourceTypeDescription {
  readonly schema?: JsonSchema;
  /** Whether no worker has registered the type, which one of another pool may still do: that is a warning. */
  readonly isGuess?: boolean;
}

/** Undefined means that there is no such thing. Members that are absent aren't checked. */
export interface Catalog {
  readonly nodeType: (type: string) => NodeTypeDescription | undefined;
  /** Names of all node types, for suggestions. */
  readonly nodeTypes?: readonly string[];
  /** Whether the description of a type is a guess, since no worker of the pool has registered any: that is a warning. */
  readonly isGuess?: (type: string) => boolean;
  readonly resourceType?: (name: string) => ResourceTypeDescription | undefined;
  /** Names of all resource types, for suggestions. */
  readonly resourceTypes?: readonly string[];
  /** Whether a resource exists; undefined if that isn't known. */
  readonly hasResource?: (type: string, id: string) => boolean | undefined;
  readonly config?: (name: string) => ConfigDescription | undefined;
  readonly hasSecret?: (name: string) => boolean | undefined;
  readonly workflow?: (name: string) => WorkflowDescription | undefined;
  readonly trigger?: (on: string) => TriggerDescription | undefined;
}

const BUILT_IN = new Map(BUILT_IN_NODE_TYPES.map((descriptor) => [descriptor.type, descriptor]));

/** Describes a node type by the catalog, or as a built-in one. Those that the graph executes can't be replaced. */
export function describeNodeType(catalog: Catalog, type: string): NodeTypeDescription | undefined {
  const own = BUILT_IN.get(type);
  return own?.isCall === false ? own : (catalog.nodeType(type) ?? own);
}

export function isBuiltIn(type: string): boolean {
  return BUILT_IN.has(type);
}

export function knownNodeTypes({ nodeTypes = [] }: Catalog): readonly string[] {
  return [...BUILT_IN.keys(), ...nodeTypes];
}
