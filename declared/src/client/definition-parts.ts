/** The common parts of `definitionsOf(client)`: its connections, and how it finds definitions and checks arguments. */
import { type Codec, InvalidArgument, type TransactionClient } from "@oxbow/sdk";
import {
  checkWorkflowName,
  type ClientTransport,
  DefinitionNotFound,
  type JsonText,
  toStorableText,
} from "@oxbow/sdk/internal/rooms";
import type { DefinitionTools } from "../protocol/definition-tools.ts";
import type { DefinitionDocument, DefinitionRecord } from "../protocol/definitions.ts";
import type { DeclaredCalls } from "../transport/declared.ts";
import type { DocumentName } from "./definition-options.ts";

export interface DefinitionParts {
  readonly transport: ClientTransport;
  readonly calls: DeclaredCalls;
  readonly codec: Codec | undefined;
  readonly tools: DefinitionTools | undefined;
  readonly actor: string | undefined;
}

/** @param way - Another way than to pass them. */
export function needTools({ tools }: DefinitionParts, what: string, way = ""): DefinitionTools {
  if (tools !== undefined) return tools;
  throw new InvalidArgument(
    `definitions.${what} needs a checker, which the database doesn't have: pass tools: definitionTools() of @oxbow/declared to definitionsOf(), or give the client the url of a server${way}.`,
  );
}

/** @throws DefinitionNotFound */
export async function findDefinition(
  { calls }: DefinitionParts,
  name: string,
  tx?: TransactionClient,
): Promise<DefinitionRecord> {
  checkWorkflowName(name);
  const found = await calls.definitions.get(name, tx);
  if (found !== undefined) return found;
  throw new DefinitionNotFound(`Definition "${name}" does not exist.`);
}

/** @throws DefinitionNotFound */
export async function findDocument(
  parts: DefinitionParts,
  name: string,
  which: DocumentName,
): Promise<DefinitionDocument> {
  if (which === "draft") return (await findDefinition(parts, name)).draft;
  const version = which === "published" ? undefined : which;
  const found = await parts.calls.definitions.document(name, version);
  if (found !== undefined) return found.document;
  throw new DefinitionNotFound(
    version === undefined
      ? `Definition "${name}" has no published version.`
      : `Definition "${name}" has no version ${version}.`,
  );
}

/** The names of all definitions, published or not. */
export async function allNames({ calls }: DefinitionParts): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const page = await calls.definitions.list({ after: names.at(-1), maxDefinitions: 1_000 });
    names.push(...page.map(({ name }) => name));
    if (page.length < 1_000) return names;
  }
}

export function nameIn(document: DefinitionDocument): string {
  if (typeof document !== "object" || (document as object | null) === null) {
    throw new InvalidArgument(
      `Invalid document ${JSON.stringify(document)}: give an object, which has the name of the definition.`,
    );
  }
  const { name } = document;
  checkWorkflowName(name);
  return name;
}

export function checkRevision(revision: number, name: string): void {
  if (Number.isInteger(revision) && revision >= 1) return;
  throw new InvalidArgument(
    `Invalid revision ${String(revision)} of definition "${name}": give that of definitions.draft().`,
  );
}

export const textOf = (value: object, name: string): JsonText =>
  toStorableText(value, `the document of definition "${name}"`) ?? "null";
