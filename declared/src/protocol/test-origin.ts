/** The origins of test runs: a kept event, or a past run. */
import { InvalidArgument, RunNotFound } from "@oxbow/sdk";
import { catalogFor, type CatalogReader } from "./catalog.ts";
import type { DefinitionDocument, DefinitionTransport, TestOrigin } from "./definitions.ts";
import type { DefinitionTools } from "./definition-tools.ts";
import type { RunTransport } from "@oxbow/sdk/internal/rooms";
import type { TriggerTransport } from "./triggers.ts";

/** What an origin gives to a test. */
export interface OriginOfTest {
  readonly input: unknown;
  readonly pins: Readonly<Record<string, unknown>>;
}

type OriginReader = CatalogReader & {
  readonly definitions: Pick<DefinitionTransport, "get" | "config">;
  readonly runs: Pick<RunTransport, "get" | "getJournal">;
  readonly triggers: Pick<TriggerTransport, "facts">;
};

/**
 * Reads the input and the pins that a test takes from an event or a run, in their stored form.
 *
 * @throws InvalidArgument; DefinitionNotFound, TriggerEventNotFound, RunNotFound
 */
export async function readTestOrigin(
  reader: OriginReader,
  tools: DefinitionTools,
  name: string,
  document: DefinitionDocument,
  origin: TestOrigin,
): Promise<OriginOfTest> {
  const { eventId, trigger, fromRun, pinResults = false } = origin;
  if (eventId !== undefined && fromRun !== undefined) {
    throw new InvalidArgument(
      "A test starts from an event or from a run: give either eventId or fromRun.",
    );
  }
  if (trigger !== undefined && eventId === undefined) {
    throw new InvalidArgument(`Trigger "${trigger}" needs an event: give eventId.`);
  }
  if (pinResults && fromRun === undefined) {
    throw new InvalidArgument("pinResults takes the results of a run: give fromRun.");
  }
  if (eventId !== undefined) {
    const facts = await reader.triggers.facts(name, eventId, undefined);
    const scope = (await reader.definitions.get(name))?.scope;
    if (!contains(facts.message, scope ?? {})) {
      throw new InvalidArgument(
        `Event ${eventId} is outside of the scope of definition "${name}": its message lacks ${JSON.stringify(scope)}.`,
      );
    }
    return { input: tools.inputOfEvent(document, facts, trigger), pins: {} };
  }
  if (fromRun === undefined) return { input: undefined, pins: {} };
  const run = await reader.runs.get(fromRun);
  if (run === undefined || run.name !== name) {
    throw new RunNotFound(`Definition "${name}" has no run ${fromRun}.`, {
      facts: { runId: fromRun, workflow: name },
    });
  }
  const input = run.hasInput ? run.input : undefined;
  if (!pinResults) return { input, pins: {} };
  const [rows, registered] = await Promise.all([
    reader.runs.getJournal(fromRun),
    catalogFor(reader, document),
  ]);
  return { input, pins: tools.pinsOf(document, rows, registered) };
}

/** As `@>` of jsonb, for objects. */
function contains(value: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return value === part;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(part).every(([key, inner]) =>
    contains((value as Readonly<Record<string, unknown>>)[key], inner),
  );
}
