/** The migration of a run to another version of its definition: it is replayed by that version first. */
import { DefinitionNotFound, NotMigratable, sleep } from "@oxbow/sdk/internal/rooms";
import { RunNotFound, type RunRecording } from "@oxbow/sdk";
import { catalogFor, type CatalogReader } from "./catalog.ts";
import type {
  DefinitionDocument,
  DefinitionTransport,
  MigratedRun,
  Migrating,
} from "./definitions.ts";
import type { DefinitionTools } from "./definition-tools.ts";

type MigrationReader = CatalogReader & {
  readonly definitions: Pick<DefinitionTransport, "config" | "document" | "migrate">;
};

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** No run is in this state: a look at the lease. */
const NO_STATE = "{}";

/**
 * Compares a run with a version, and moves it. A run that changes while it is compared is compared again.
 *
 * @param record - Reads the current state of the run, with decoded values.
 * @throws NotMigratable, RunNotFound, DefinitionNotFound; the signal's reason, if it aborts while the run is executed or advances
 */
export async function migrateRun(
  reader: MigrationReader,
  tools: DefinitionTools,
  { name, runId, version, waitMs }: Migrating,
  record: (runId: string) => Promise<RunRecording>,
  signal: AbortSignal = new AbortController().signal,
): Promise<MigratedRun> {
  const found = await reader.definitions.document(name, version);
  if (found === undefined) {
    throw new DefinitionNotFound(
      `Definition "${name}" has no ${version === undefined ? "published version" : `version ${version}`}.`,
    );
  }
  const [to, registered] = [found.version, await catalogFor(reader, found.document)];
  const giveUpAt = performance.now() + waitMs;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    const recording = await record(runId);
    const { workflow, version: from, status } = recording;
    const facts = { runId, from, to };
    if (workflow !== name) {
      throw new RunNotFound(`Definition "${name}" has no run ${runId}.`, { facts });
    }
    if (from === to) return { runId, migrated: false, from, to };
    if (status !== "running") {
      throw new NotMigratable(`Run ${runId} has ended: it is ${status}.`, { facts });
    }
    // The database refuses test runs, whose versions don't belong to the definition.
    const before = await documentOfVersion(reader, name, from, {});
    const departure = await tools.departureOf(before, found.document, recording, registered);
    if (departure !== undefined) {
      const { node, message } = departure;
      throw new NotMigratable(
        `Run ${runId} can't continue with version ${to} of "${name}": ${message}`,
        {
          facts: { ...facts, ...(node === undefined ? {} : { node }) },
        },
      );
    }
    const compared = JSON.stringify(comparedOf(recording));
    let outcome = await reader.definitions.migrate({ name, runId, version: to, compared });
    if (outcome === "migrated" || outcome === "unchanged") {
      return { runId, migrated: outcome === "migrated", from, to };
    }
    // The next look reports how it has ended.
    if (outcome === "ended") continue;
    // Reading and replaying a long journal is expensive: not while a worker executes the run.
    do {
      if (performance.now() >= giveUpAt) {
        const why =
          outcome === "executing"
            ? "is executed by a worker all the time"
            : "changed while it was compared";
        throw new NotMigratable(`Run ${runId} ${why}. Pause it, and migrate it then.`, { facts });
      }
      await sleep(pauseMs, signal);
      signal.throwIfAborted();
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      if (outcome === "advanced") break;
      outcome = await reader.definitions.migrate({ name, runId, version: to, compared: NO_STATE });
    } while (outcome === "executing");
  }
}

/** @param otherwise - For a version of which there is no document. Default: throws DefinitionNotFound. */
export async function documentOfVersion(
  { definitions }: { readonly definitions: Pick<DefinitionTransport, "document"> },
  name: string,
  version: number,
  otherwise?: DefinitionDocument,
): Promise<DefinitionDocument> {
  const document = (await definitions.document(name, version))?.document ?? otherwise;
  if (document !== undefined) return document;
  throw new DefinitionNotFound(`Definition "${name}" has no version ${version}.`);
}

/** As `definition_migrate` compares it. */
function comparedOf({ version, journal, waits, retries }: RunRecording): object {
  const pending = new Set([...waits, ...retries].map(({ step }) => step));
  const inOrder = [...pending].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return { version, rows: journal.length, pending: inOrder };
}
