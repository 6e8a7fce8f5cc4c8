/** What a checker knows of documents: their problems, their differences, and what becomes of runs and events by them. */
import {
  ValidationFailed,
  type ValidationIssue,
  type TimedJournalEntry,
  type RunRecording,
} from "@oxbow/sdk";
import { type DefinitionProblem, InvalidDefinition } from "@oxbow/sdk/internal/rooms";
import type { RegisteredCatalog } from "./catalog.ts";
import type { DefinitionProgressFold } from "./definition-progress.ts";
import type { DefinitionChange, DefinitionDocument, DefinitionTransport } from "./definitions.ts";
import type { EventExplanation, EventFacts, OnceHolder } from "./triggers.ts";

/** Checks documents and compares them. `definitionTools()` of `@oxbow/declared` makes one; servers have their own. */
export interface DefinitionTools {
  /**
   * @param registered - What the database has for documents to refer to; undefined if unknown, so that types are taken
   *   as they are.
   */
  check(document: unknown, registered?: RegisteredCatalog): CheckedDefinition;
  /** Compares the input of a start with the schema of the document. */
  inputIssues(document: DefinitionDocument, input: unknown): readonly ValidationIssue[];
  diff(from: DefinitionDocument, to: DefinitionDocument): readonly DefinitionChange[];
  /** Computes the input that a trigger of the document gives a run for an event. @param trigger - Default: the only one that wants it. */
  inputOfEvent(document: DefinitionDocument, facts: EventFacts, trigger?: string): unknown;
  /**
   * Compares a run with another version of its document: returns why it can't continue with that; undefined if it can.
   *
   * @param from - The document of its version.
   */
  departureOf(
    from: DefinitionDocument,
    to: DefinitionDocument,
    recording: RunRecording,
    registered?: RegisteredCatalog,
  ): Promise<DefinitionDeparture | undefined>;
  /**
   * Computes the states of nodes and edges from the rows of a journal, one after another.
   *
   * @param input - Of a run that another run has started: it may be an item of a loop.
   */
  progress(
    document: DefinitionDocument,
    registered?: RegisteredCatalog,
    input?: unknown,
  ): DefinitionProgressFold;
  /** Makes pins of the results that nodes had in a run. @param rows - Its journal. */
  pinsOf(
    document: DefinitionDocument,
    rows: readonly TimedJournalEntry[],
    registered?: RegisteredCatalog,
  ): Readonly<Record<string, unknown>>;
  /**
   * Explains what an event came to.
   *
   * @param holderOf - The run that holds values of `once_for`, given as canonical JSON.
   */
  explain(
    facts: EventFacts,
    holderOf: (key: string) => Promise<OnceHolder | undefined>,
  ): Promise<EventExplanation>;
}

/** Why a run can't continue with another version. */
export interface DefinitionDeparture {
  /** The node that differs, if it is one. */
  readonly node?: string;
  readonly message: string;
}

/** The result of a check. */
export interface CheckedDefinition {
  /** Errors first. Only errors prevent publishing. */
  readonly problems: readonly DefinitionProblem[];
  /** Stored with the version that is published. Absent if there are errors. */
  readonly compiled?: unknown;
}

/**
 * Checks the input of a start by the document that it takes. A document that does not exist is left to the start.
 *
 * @throws ValidationFailed
 */
export async function requireInput(
  tools: DefinitionTools,
  definitions: Pick<DefinitionTransport, "document">,
  { name, version, input }: { name: string; version: number | undefined; input: unknown },
): Promise<void> {
  const found = await definitions.document(name, version);
  const issues = found === undefined ? [] : tools.inputIssues(found.document, input);
  if (issues.length > 0) throw new ValidationFailed(`input of definition "${name}"`, issues);
}

/**
 * Checks the document and the input of a test. Of a test of one node, only its own errors matter.
 *
 * @throws InvalidDefinition, ValidationFailed
 */
export function requireTestable(
  tools: DefinitionTools,
  document: DefinitionDocument,
  { only, input }: { readonly only: string | undefined; readonly input: unknown },
): void {
  const name = String(document["name"]);
  const { problems } = tools.check(document);
  const errors = problems.filter(
    ({ severity, node }) => severity === "error" && (only === undefined || node === only),
  );
  const [first] = errors;
  if (first !== undefined) {
    throw new InvalidDefinition(
      `Definition "${name}" is invalid: ${first.message}. ${first.hint}`,
      { facts: { problems: errors } },
    );
  }
  const issues = only === undefined ? tools.inputIssues(document, input) : [];
  if (issues.length > 0) throw new ValidationFailed(`input of definition "${name}"`, issues);
}
