/** Documents of definitions, checked and compared. */
import {
  checkWorkflowName,
  type DefinitionProblem,
  InvalidDefinition,
  type JsonText,
} from "@oxbow/sdk/internal/rooms";
import { catalogFor, type RegisteredCatalog } from "../protocol/catalog.ts";
import type { CheckedDefinition, DefinitionTools } from "../protocol/definition-tools.ts";
import {
  type DefinitionChange,
  type DefinitionDocument,
  revisionConflict,
} from "../protocol/definitions.ts";
import type { DiffOptions, PublishOptions } from "./definition-options.ts";
import {
  type DefinitionParts,
  findDefinition,
  findDocument,
  nameIn,
  needTools,
  textOf,
} from "./definition-parts.ts";

/** @param document - A name checks the draft. */
export async function problemsOf(
  parts: DefinitionParts,
  document: DefinitionDocument | string,
): Promise<readonly DefinitionProblem[]> {
  const name = typeof document === "string" ? document : nameIn(document);
  const { remote } = parts.calls.definitions;
  if (parts.tools === undefined && remote !== undefined) {
    checkWorkflowName(name);
    const text = typeof document === "string" ? undefined : textOf(document, name);
    return remote.validate(name, text);
  }
  const tools = needTools(parts, "validate()");
  const checked =
    typeof document === "string" ? (await findDefinition(parts, name)).draft : document;
  const registered = await catalogFor(parts.calls, checked);
  return tools.check(checked, registered).problems;
}

export async function differencesOf(
  parts: DefinitionParts,
  name: string,
  { from = "published", to = "draft" }: DiffOptions,
): Promise<readonly DefinitionChange[]> {
  const { remote } = parts.calls.definitions;
  if (parts.tools === undefined && remote !== undefined) {
    return remote.diff(name, String(from), String(to));
  }
  const tools = needTools(parts, "diff()");
  const [before, after] = await Promise.all([
    findDocument(parts, name, from),
    findDocument(parts, name, to),
  ]);
  return tools.diff(before, after);
}

/** @returns Undefined if a server checks it, or nothing. @throws InvalidArgument without a checker; InvalidDefinition */
export async function compileDraft(
  parts: DefinitionParts,
  { name, revision }: { readonly name: string; readonly revision: number },
  { unchecked = false, tx }: PublishOptions,
): Promise<JsonText | undefined> {
  const tools = publishingTools(parts, "publish()", unchecked);
  if (tools === undefined) return undefined;
  const found = await findDefinition(parts, name, tx);
  // Another revision saved since would be published unchecked.
  if (found.revision !== revision) throw revisionConflict(found, revision);
  const registered = await catalogFor(parts.calls, found.draft);
  return compile(tools, found.draft, registered);
}

/** @returns Undefined if a server checks them, or nothing. @throws InvalidArgument without a checker; InvalidDefinition */
export async function compileAll(
  parts: DefinitionParts,
  documents: readonly DefinitionDocument[],
  { unchecked = false }: PublishOptions,
): Promise<(JsonText | null)[] | undefined> {
  const tools = publishingTools(parts, "apply()", unchecked);
  if (tools === undefined) return undefined;
  return Promise.all(
    documents.map(
      async (document) => compile(tools, document, await catalogFor(parts.calls, document)) ?? null,
    ),
  );
}

function publishingTools(
  parts: DefinitionParts,
  what: string,
  unchecked: boolean,
): DefinitionTools | undefined {
  if (unchecked || parts.calls.definitions.remote !== undefined) return undefined;
  return needTools(parts, what, ", or unchecked: true to publish it as it is");
}

/** @throws InvalidDefinition if the checker finds errors */
function compile(
  tools: DefinitionTools,
  document: DefinitionDocument,
  registered: RegisteredCatalog,
): JsonText | undefined {
  const { problems, compiled }: CheckedDefinition = tools.check(document, registered);
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return JSON.stringify(compiled);
  const [first] = errors;
  throw new InvalidDefinition(
    `Definition "${String(document["name"])}" is invalid: ${first?.message}. ${first?.hint}`,
    { facts: { problems } },
  );
}
