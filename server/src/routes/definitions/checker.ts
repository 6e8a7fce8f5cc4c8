/** The checker of definitions, as routes ask it. */
import { definitionTools } from "@oxbow/declared";
import {
  type CheckedDefinition,
  type DefinitionDocument,
  type DefinitionRecord,
  InvalidDefinition,
} from "@oxbow/declared/client";
import { catalogFor, type CatalogReader, type DefinitionTransport } from "@oxbow/declared/internal";
import { HttpProblem } from "../../http/problems.ts";

/** A server has no code of workers: it knows the built-in node types, and what workers have registered. */
export const tools = definitionTools();

export async function findDefinition(
  definitions: DefinitionTransport,
  name: string,
): Promise<DefinitionRecord> {
  const found = await definitions.get(name);
  if (found !== undefined) return found;
  throw new HttpProblem("DEFINITION_NOT_FOUND", `Definition "${name}" doesn't exist.`);
}

/** A version, `draft` or `published`. */
export async function findDocument(
  definitions: DefinitionTransport,
  name: string,
  which: string,
): Promise<DefinitionDocument> {
  const found = await findDefinition(definitions, name);
  if (which === "draft") return found.draft;
  const version = which === "published" ? undefined : Number(which);
  const stored = await definitions.document(name, version);
  if (stored !== undefined) return stored.document;
  throw new HttpProblem(
    "DEFINITION_NOT_FOUND",
    version === undefined
      ? `Definition "${name}" has no published version.`
      : `Definition "${name}" has no version ${version}.`,
  );
}

/** Checks a document by what workers of its pool have registered, and by the values of the environment. */
export async function check(
  document: DefinitionDocument,
  reader: CatalogReader,
): Promise<CheckedDefinition> {
  return tools.check(document, await catalogFor(reader, document));
}

/** @throws InvalidDefinition if there are errors; warnings are for the answer. */
export async function compile(
  document: DefinitionDocument,
  reader: CatalogReader,
): Promise<CheckedDefinition> {
  const checked = await check(document, reader);
  const first = checked.problems.find(({ severity }) => severity === "error");
  if (first === undefined) return checked;
  throw new InvalidDefinition(
    `Definition "${String(document["name"])}" is invalid: ${first.message}. ${first.hint}`,
    { facts: { problems: checked.problems } },
  );
}
