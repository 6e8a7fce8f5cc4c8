/** Documents of definitions, checked and compared. */
import { type DefinitionProblem, InvalidDefinition } from "../core/errors.ts";
import type { JsonText } from "../core/json.ts";
import { checkWorkflowName } from "../core/names.ts";
import { catalogFor, type RegisteredCatalog } from "../protocol/catalog.ts";
import type {
  CheckedDefinition,
  DefinitionChange,
  DefinitionTools,
} from "../protocol/definition-tools.ts";
import { type DefinitionDocument, revisionConflict } from "../protocol/definitions.ts";
import type { TransactionClient } from "../protocol/transaction.ts";
import type { DiffOptions } from "./definition-options.ts";
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
  const { remote } = parts.transport.definitions;
  if (parts.tools === undefined && remote !== undefined) {
    checkWorkflowName(name);
    const text = typeof document === "string" ? undefined : textOf(document, name);
    return remote.validate(name, text);
  }
  const tools = needTools(parts, "validate()");
  const checked =
    typeof document === "string" ? (await findDefinition(parts, name)).draft : document;
  const registered = await catalogFor(parts.transport, checked);
  return tools.check(checked, registered).problems;
}

export async function differencesOf(
  parts: DefinitionParts,
  name: string,
  { from = "published", to = "draft" }: DiffOptions,
): Promise<readonly DefinitionChange[]> {
  const { remote } = parts.transport.definitions;
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

/** @returns Undefined if nothing checks it here, or if the database will refuse the revision. */
export async function compileDraft(
  parts: DefinitionParts,
  name: string,
  revision: number,
  tx: TransactionClient | undefined,
): Promise<JsonText | undefined> {
  if (parts.tools === undefined || parts.transport.definitions.remote !== undefined) {
    return undefined;
  }
  const found = await findDefinition(parts, name, tx);
  // Another revision saved since would be published unchecked.
  if (found.revision !== revision) throw revisionConflict(found, revision);
  const registered = await catalogFor(parts.transport, found.draft);
  return compile(parts.tools, found.draft, registered);
}

/** @returns Undefined if nothing checks them here. @throws InvalidDefinition */
export async function compileAll(
  parts: DefinitionParts,
  documents: readonly DefinitionDocument[],
): Promise<(JsonText | null)[] | undefined> {
  const tools = parts.tools;
  if (tools === undefined) return undefined;
  return Promise.all(
    documents.map(
      async (document) =>
        compile(tools, document, await catalogFor(parts.transport, document)) ?? null,
    ),
  );
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
