/** The checker and the comparison of documents, as clients, servers and the command line take them. */
import { InvalidArgument } from "@oxbow/sdk";
import { type DefinitionProblem } from "@oxbow/sdk/internal/rooms";
import type { DefinitionTools } from "../protocol/definition-tools.ts";
import type { RegisteredCatalog } from "../protocol/catalog.ts";
import { parseDuration, TOOL_KEYWORD, toFlowSettings } from "@oxbow/sdk/internal/declared";
import { type Catalog, isBuiltIn, type TriggerDescription } from "../check/catalog.ts";
import { checkDocument } from "../check/check-document.ts";
import { diffDocuments } from "../document/document-diff.ts";
import { readDocument } from "../document/read-document.ts";
import { type Document, handleOf, type JsonSchema } from "../document/document.ts";
import { isObject, type Json, type JsonObject, present } from "../document/json.ts";
import type { NodeTypeDescription } from "../nodes/descriptor.ts";
import type { NodeType } from "../nodes/node-type.ts";
import { readDescriptor } from "../nodes/read-descriptor.ts";
import type { DefinedResource } from "../resources/resource-type.ts";
import { itemPathIn } from "../interpreter/item-input.ts";
import { departureOf } from "../interpreter/migration.ts";
import { ProgressFold } from "../interpreter/progress.ts";
import { type HasHandles, pinsOf } from "../interpreter/journaled-outcome.ts";
import { explainEvent } from "../triggers/event-explanation.ts";
import { inputOfEvent } from "../triggers/event-input.ts";
import { describeTrigger, type TriggerType } from "../triggers/trigger-type.ts";
import { issueWithSchema } from "../types/conformance.ts";

/** Options of `definitionTools`. */
export interface DefinitionToolsOptions {
  /**
   * Node types of the workers. With them, the parameters and outputs of these types are checked, and other types are
   * errors. Default: the registered types of the definition's pool. Without any, types that aren't built in are taken as
   * they are.
   */
  readonly nodes?: readonly NodeType[];
  /**
   * Types of resources of the workers: bindings, guards and schemas that name others are errors. Default: the types
   * that workers have registered. If no worker has registered any, types are taken as they are.
   */
  readonly resources?: readonly DefinedResource[];
  /**
   * Trigger types of the workers: guards are checked against their events. Default: the types that workers of the
   * definition's pool have declared.
   */
  readonly triggers?: readonly TriggerType[];
  /** Values of the environment that the workers have, unless the database has a value of the name. Migrations read them. */
  readonly config?: JsonObject;
}

const DAY_MS = 86_400_000;

/**
 * Makes the checker of definitions for a client that connects straight to the database.
 *
 * @example
 * const definitions = definitionsOf(client, { tools: definitionTools({ nodes: [slackPost] }) });
 * const problems = await definitions.validate("page-on-major");
 */
export function definitionTools({
  nodes,
  triggers,
  resources,
  config = {},
}: DefinitionToolsOptions = {}): DefinitionTools {
  const ofTriggers =
    triggers && new Map(triggers.map((type) => [type.name, describeTrigger(type)]));
  const ofResources = resources && resourceCatalog(resources);
  const known = nodes && new Map(nodes.map((type) => [type.id, type.descriptor]));
  const nodeTypesFor = (document: unknown, registered?: RegisteredCatalog): Catalog =>
    known === undefined ? registeredNodes(document, registered) : catalogOf(known);
  const severalHandles = (document: unknown, registered?: RegisteredCatalog): HasHandles => {
    const { nodeType } = nodeTypesFor(document, registered);
    return (type) => {
      const { handles } = nodeType(type) ?? {};
      return handles !== undefined && (handles.length !== 1 || handles[0] !== "out");
    };
  };
  return {
    check: (value, registered) => {
      const nodeTypes = nodeTypesFor(value, registered);
      const triggerTypes = ofTriggers ?? registeredTriggers(registered);
      const catalog = {
        ...nodeTypes,
        ...(ofResources ?? registeredResources(registered)),
        ...registeredConfig(registered),
        trigger: (on: string) => triggerTypes.get(on),
      };
      const { problems, compiled } = checkDocument(value, catalog);
      if (compiled === undefined) return { problems };
      try {
        return { problems, compiled: { ...compiled, defaults: defaultsOf(value as Document) } };
      } catch (error) {
        if (!(error instanceof InvalidArgument)) throw error;
        return { problems: [settingProblem(error.message), ...problems] };
      }
    },
    inputIssues: ({ input: schema = true }, input) => {
      const issue = issueWithSchema((input ?? null) as Json, schema as JsonSchema);
      return issue === undefined ? [] : [issue];
    },
    // Drafts need not have the shape of a document; the comparison reads what is there.
    explain: explainEvent,
    progress: (document, registered, input) => {
      const graph = document as unknown as Document;
      const hasHandles = severalHandles(document, registered);
      return new ProgressFold(graph, present({ hasHandles, item: itemPathIn(graph, input) }));
    },
    inputOfEvent,
    departureOf: async (from, to, recording, registered) => {
      const { document, problems } = readDocument(to);
      if (document === undefined) return { message: problems[0].message };
      const { nodeType } = nodeTypesFor(to, registered);
      const stored = registered?.config.map(({ name, value }) => [name, value as Json] as const);
      return departureOf({
        from: from as unknown as Document,
        to: document,
        recording,
        nodeType,
        config: { ...config, ...Object.fromEntries(stored ?? []) },
      });
    },
    pinsOf: (document, rows, registered) =>
      pinsOf(
        { nodes: isObject(document["nodes"]) ? (document["nodes"] as Document["nodes"]) : {} },
        rows,
        severalHandles(document, registered),
      ),
    diff: (from, to) => diffDocuments(comparable(from), comparable(to)),
  };
}

const catalogOf = (known: ReadonlyMap<string, NodeTypeDescription>): Catalog => ({
  nodeType: (type) => known.get(type),
  nodeTypes: [...known.keys()],
});

/** @param registered - Undefined if it isn't known what workers have registered. */
function registeredNodes(document: unknown, registered: RegisteredCatalog | undefined): Catalog {
  if (registered === undefined) return permissive(document);
  const { nodeTypes } = registered;
  if (nodeTypes.length === 0)
    return { ...permissive(document), isGuess: (type) => !isBuiltIn(type) };
  const descriptors = nodeTypes.flatMap(({ descriptor }) => readDescriptor(descriptor) ?? []);
  return catalogOf(new Map(descriptors.map((descriptor) => [descriptor.type, descriptor])));
}

/** Names that no worker of the pool has declared stand for topics. */
function registeredTriggers(
  registered: RegisteredCatalog | undefined,
): ReadonlyMap<string, TriggerDescription> {
  return new Map(
    registered?.triggerTypes.map(({ name, loaded, eventSchema }) => [
      name,
      { loaded, ...(eventSchema === null ? {} : { event: eventSchema as JsonSchema }) },
    ]),
  );
}

function resourceCatalog(
  types: readonly { readonly type: string; readonly schema?: JsonSchema }[],
): Required<Pick<Catalog, "resourceType" | "resourceTypes">> {
  const known = new Map(types.map(({ type, ...rest }) => [type, rest]));
  return { resourceType: (name) => known.get(name), resourceTypes: [...known.keys()] };
}

/**
 * Types that are protected are known as well. Protection doesn't show which other types exist, and a worker of another
 * pool may register the missing ones.
 */
function registeredResources(
  registered: RegisteredCatalog | undefined,
): Pick<Catalog, "resourceType" | "resourceTypes"> {
  const types = registered?.resourceTypes ?? [];
  if (types.every(({ registeredAt }) => registeredAt === null)) return {};
  const { resourceType, resourceTypes } = resourceCatalog(
    types.map(({ name, schema }) => ({
      type: name,
      ...(schema === null ? {} : { schema: schema as JsonSchema }),
    })),
  );
  return { resourceType: (name) => resourceType(name) ?? { isGuess: true }, resourceTypes };
}

/** Names that the database lacks may have values in the workers' options. Any value may be replaced by one of another type. */
function registeredConfig(registered: RegisteredCatalog | undefined): Pick<Catalog, "config"> {
  if (registered === undefined) return {};
  const names = new Set(registered.config.map(({ name }) => name));
  return { config: (name) => (names.has(name) ? {} : { isGuess: true }) };
}

/** Knows every type that a document uses, with the handles by which its edges leave. */
function permissive(document: unknown): Catalog {
  const nodes = isObject(document) && isObject(document["nodes"]) ? document["nodes"] : {};
  const edges = isObject(document) && Array.isArray(document["edges"]) ? document["edges"] : [];
  const handlesOf = (type: string): string[] => {
    const drawn = (edges as Document["edges"] & object)
      .filter(({ from }) => (nodes[from] as { type?: unknown } | undefined)?.type === type)
      .map(handleOf);
    return [...new Set(["out", ...drawn])].filter((handle) => handle !== "error");
  };
  return {
    nodeType: (type) => (isBuiltIn(type) ? undefined : { type, handles: handlesOf(type) }),
  };
}

/** The shape of durations is checked before. */
const settingProblem = (message: string): DefinitionProblem => ({
  code: "INVALID_SETTING",
  severity: "error",
  pointer: "/settings/flowControl",
  message,
  hint: "Give flow control as to workflows in code.",
});

/** The defaults of runs, as the database stores them with the version. */
function defaultsOf(document: Document): Record<string, unknown> {
  const { name, settings = {} } = document;
  const { retention, deadline, flowControl, expose = false } = settings;
  const defaults: Record<string, unknown> = {};
  if (expose !== false) defaults["inputSchema"] = exposedSchema(document, expose);
  if (retention !== undefined) {
    const ms = parseDuration(retention, `the retention of "${name}"`);
    defaults["retentionDays"] = Math.ceil(ms / DAY_MS);
  }
  if (deadline !== undefined) {
    defaults["deadlineSeconds"] = parseDuration(deadline, `the deadline of "${name}"`) / 1_000;
  }
  if (flowControl !== undefined) {
    defaults["flowControl"] = toFlowSettings(flowControl, `the flow control of "${name}"`);
  }
  return defaults;
}

/** The schema of the input, marked as that of a tool. */
function exposedSchema(
  { title, description = title, input = true }: Document,
  expose: true | { readonly description?: string },
): Record<string, unknown> {
  const given = expose === true ? undefined : expose.description;
  const tool = { description: given ?? description, definition: true };
  return { ...(input === true ? {} : (input as JsonObject)), [TOOL_KEYWORD]: tool };
}

function comparable(document: Readonly<Record<string, unknown>>): Document {
  const { edges } = document;
  if (edges === undefined) return document as unknown as Document;
  const sound = Array.isArray(edges) ? edges.filter((edge) => isObject(edge)) : [];
  return { ...document, edges: sound } as unknown as Document;
}
