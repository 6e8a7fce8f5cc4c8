/** A rerun of a run of a definition from one of its nodes, by the same version or another one. */
import { InvalidArgument, RunNotFound, type JournalEntry, type RunRecording } from "@oxbow/sdk";
import { NotMigratable, type RunTransport } from "@oxbow/sdk/internal/rooms";
import { catalogFor, type CatalogReader } from "./catalog.ts";
import type {
  DefinitionDocument,
  DefinitionTransport,
  RerunFromNode,
  RerunningFromNode,
} from "./definitions.ts";
import type { DefinitionTools } from "./definition-tools.ts";
import { documentOfVersion } from "./migration.ts";

type RerunReader = CatalogReader & {
  readonly definitions: Pick<DefinitionTransport, "config" | "document">;
  readonly runs: Pick<RunTransport, "rerun">;
};

/**
 * Starts a run with the journal before the node began. Of another version, it must repeat that journal.
 *
 * @param record - Reads the current state of the run, with decoded values.
 * @throws InvalidArgument for a node that left nothing in the journal; NotMigratable, RunNotFound, DefinitionNotFound
 */
export async function rerunFromNode(
  reader: RerunReader,
  tools: DefinitionTools,
  { name, runId, node, version }: RerunningFromNode,
  record: (runId: string) => Promise<RunRecording>,
): Promise<RerunFromNode> {
  const recording = await record(runId);
  if (recording.workflow !== name) {
    throw new RunNotFound(`Definition "${name}" has no run ${runId}.`, {
      facts: { runId, workflow: name },
    });
  }
  const before = await documentOfVersion(reader, name, recording.version);
  const place = placeOf(recording.journal, before, node);
  if (place === undefined) {
    throw new InvalidArgument(
      `Run ${runId} has not come to node "${node}": its journal has nothing of it, or of a node behind it. Pass the path of another node, such as "page" or "pack.17.reserve".`,
    );
  }
  const to = version ?? recording.version;
  if (to !== recording.version) {
    const after = await documentOfVersion(reader, name, to);
    const registered = await catalogFor(reader, after);
    const departure = await tools.departureOf(before, after, upTo(recording, place), registered);
    if (departure !== undefined) {
      throw new NotMigratable(
        `Run ${runId} can't be repeated from "${node}" with version ${to} of "${name}": ${departure.message}`,
        {
          facts: {
            runId,
            from: recording.version,
            to,
            ...(departure.node === undefined ? {} : { node: departure.node }),
          },
        },
      );
    }
  }
  const { step: fromStep } = place;
  const again = await reader.runs.rerun(runId, { fromStep, input: undefined, version });
  return { runId: again, fromStep, version: to };
}

/** Where a rerun departs from a journal. */
interface Place {
  /** Name of a step or a decision. */
  readonly step: string;
  /** Rows before it. */
  readonly rows: number;
  /** Decisions of the last one of these rows that are kept; undefined for all. */
  readonly decisions?: number;
}

/** The first thing that a node left in the journal or, if it is computed again in each replay, one behind it. */
function placeOf(
  journal: readonly JournalEntry[],
  document: DefinitionDocument,
  node: string,
): Place | undefined {
  const own = firstOf(journal, (path) => path === node || path.startsWith(`${node}.`));
  if (own !== undefined) return own;
  const prefix = node.slice(0, node.lastIndexOf(".") + 1);
  const behind = idsBehind(document, node.slice(prefix.length));
  return firstOf(journal, (path) => {
    if (!path.startsWith(prefix)) return false;
    const [id = ""] = path.slice(prefix.length).split(".");
    return behind.has(id);
  });
}

function firstOf(
  journal: readonly JournalEntry[],
  isWanted: (path: string) => boolean,
): Place | undefined {
  const wanted = (name: string): boolean => isWanted(name.split(" ")[0] ?? "");
  for (const [at, { name, kind, decisions = [] }] of journal.entries()) {
    const earlier = decisions.find((each) => each.before === true && wanted(each.name));
    if (earlier !== undefined) return { step: earlier.name, rows: at };
    if (kind !== "rollback" && wanted(name)) return { step: name, rows: at };
    const later = decisions.findIndex((each) => each.before !== true && wanted(each.name));
    if (later === -1) continue;
    const step = decisions[later]?.name ?? name;
    if (kind === "decision") return { step, rows: at };
    return { step, rows: at + 1, decisions: later };
  }
  return undefined;
}

/** Ids of the nodes to which edges lead from a node, over any number of others. */
function idsBehind({ edges }: DefinitionDocument, node: string): ReadonlySet<string> {
  const all = (Array.isArray(edges) ? edges : []) as readonly { from: string; to: string }[];
  const found = new Set<string>();
  const open = [node];
  for (const id of open) {
    for (const { from, to } of all) {
      if (from !== id || found.has(to)) continue;
      found.add(to);
      open.push(to);
    }
  }
  return found;
}

/** The part of the recording that precedes a place. */
function upTo(recording: RunRecording, { rows, decisions }: Place): RunRecording {
  const { output: _output, error: _error, ...rest } = recording;
  const journal = recording.journal.slice(0, rows).map((entry, at) => {
    if (decisions === undefined || at !== rows - 1 || entry.decisions === undefined) return entry;
    return { ...entry, decisions: entry.decisions.slice(0, decisions) };
  });
  return { ...rest, status: "running", journal, waits: [], retries: [] };
}
