/** `oxbow definitions migrate` and `rerun`: runs that continue with another version, or are repeated from a node. */
import { ConnectionFailed, type WorkflowClient } from "@oxbow/sdk";
import { DefinitionNotFound, type Definitions, NotMigratable } from "@oxbow/declared/client";
import type { Command } from "commander";
import type { ConnectionOptions } from "../../connection.ts";
import { CommandFailure, conflict, exitCodeOf } from "../../exit-codes.ts";
import { printJson, printJsonLine, printText } from "../../output.ts";
import { count } from "../../show.ts";
import { wholeNumber } from "../../values.ts";
import { withAuthor, withDefinitions } from "./connection.ts";
import { defined } from "../../../defined.ts";

interface MigrateArguments extends ConnectionOptions {
  readonly to?: number;
  readonly from?: number;
  readonly wait?: string;
  readonly actor?: string;
}

export interface MigrationClient {
  readonly definitions: Pick<Definitions, "get" | "migrate">;
  readonly runs: WorkflowClient["runs"];
}

/** Runs that are compared at the same time. Most of the time of one is spent in the database, or waiting for its worker. */
const AT_ONCE = 8;

export function addMigrateCommand(definitions: Command): void {
  withAuthor(definitions.command("migrate"))
    .description("move runs in progress to another version, if that repeats what they did")
    .argument("<definition>", "name of the definition")
    .argument("[runs...]", "ids of runs (default: all in progress that have another version)")
    .option("--to <version>", "default: the published version", wholeNumber("--to"))
    .option("--from <version>", "only runs of this version", wholeNumber("--from"))
    .option("--wait <duration>", "how long to wait for a run that a worker executes", "10s")
    .action(async (name: string, runIds: readonly string[], options: MigrateArguments) => {
      const tally = await withDefinitions(options, (calls, { runs }) => {
        const client = { definitions: calls, runs };
        const moved = runIds.length > 0 ? runIds : runsOf(client, name, options);
        return migrateAll(client, name, moved, options);
      });
      const { moved, unchanged, refused, failures, stoppedBy } = tally;
      const asked = moved + unchanged + refused + failures.length;
      if (options.json !== true && asked !== 1) {
        const rest = refused + failures.length;
        printText(`Moved ${count(moved, "run")}; ${unchanged} had the version; ${rest} stay.`);
      }
      if (stoppedBy !== undefined) throw stoppedBy;
      const [first] = failures;
      if (first !== undefined && asked === 1) throw first;
      if (first !== undefined) {
        const message = `${count(failures.length, "run")} could not be moved.`;
        throw new CommandFailure(exitCodeOf(first), "NOT_MIGRATED", message);
      }
      if (refused > 0) throw conflict("NOT_MIGRATABLE", `${refused} runs stay with their version.`);
    });
}

interface Tally {
  moved: number;
  unchanged: number;
  /** Their journals don't fit the version. */
  refused: number;
  /** Failures of runs that could not be compared or moved. */
  readonly failures: Error[];
  /** All other runs would fail by it as well, or can't be listed. */
  stoppedBy?: Error;
}

/** Continues after the failure of a run. If the runs can't be listed any further, those under way are finished. */
export async function migrateAll(
  client: MigrationClient,
  name: string,
  runs: Iterable<string> | AsyncIterable<string>,
  options: MigrateArguments,
): Promise<Tally> {
  const tally: Tally = { moved: 0, unchanged: 0, refused: 0, failures: [] };
  const open = iterationOf(runs);
  const migrateNext = async (): Promise<void> => {
    while (tally.stoppedBy === undefined) {
      let runId: string;
      try {
        const next = await open.next();
        if (next.done === true) return;
        runId = next.value;
      } catch (thrown) {
        tally.stoppedBy ??= errorOf(thrown);
        return;
      }
      try {
        tally[await migrate(client, name, runId, options)] += 1;
      } catch (thrown) {
        const error = errorOf(thrown);
        tally.failures.push(error);
        if (isOfAll(error, tally)) tally.stoppedBy ??= error;
        else report(runId, options, `Run ${runId} could not be moved: ${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, migrateNext));
  return tally;
}

async function* iterationOf(
  runs: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string, void, void> {
  yield* runs;
}

const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** So many failures, and nothing else, are no matter of a run. */
const FAILURES_OF_ALL = 20;

const isOfAll = (error: Error, { moved, unchanged, refused, failures }: Tally): boolean =>
  error instanceof ConnectionFailed ||
  error instanceof DefinitionNotFound ||
  (moved + unchanged + refused === 0 && failures.length >= FAILURES_OF_ALL);

export function addRerunCommand(definitions: Command): void {
  withAuthor(definitions.command("rerun"))
    .description("repeat a run from one of its nodes")
    .argument("<definition>", "name of the definition")
    .argument("<run>", "id of the run")
    .argument("<node>", "path of the node: page, or pack.17.reserve in a loop")
    .option("--to <version>", "default: the version of the run", wholeNumber("--to"))
    .action(async (name: string, runId: string, node: string, options: MigrateArguments) => {
      const { to, json } = options;
      const again = await withDefinitions(options, (calls) =>
        calls.rerun(name, runId, node, defined({ version: to })),
      );
      if (json === true) printJson(again);
      else printText(`Run ${again.runId} repeats run ${runId} from ${again.fromStep}.`);
    });
}

/** Returns what became of the run. */
async function migrate(
  { definitions }: MigrationClient,
  name: string,
  runId: string,
  options: MigrateArguments,
): Promise<"moved" | "unchanged" | "refused"> {
  const { to, wait = "10s", json } = options;
  try {
    const done = await definitions.migrate(name, runId, {
      wait,
      ...defined({ version: to }),
    });
    if (json === true) printJsonLine(done);
    else if (done.migrated) {
      printText(`Run ${runId} moved from version ${done.from} to ${done.to}.`);
    } else printText(`Run ${runId} has version ${done.to}.`);
    return done.migrated ? "moved" : "unchanged";
  } catch (error) {
    if (!(error instanceof NotMigratable)) throw error;
    report(runId, options, error.message, error.facts);
    return "refused";
  }
}

/** Prints why a run stays with its version. */
function report(runId: string, { json }: MigrateArguments, reason: string, facts?: object): void {
  if (json === true) printJsonLine({ runId, migrated: false, reason, ...facts });
  else printText(reason);
}

async function* runsOf(
  { runs: all, definitions }: MigrationClient,
  name: string,
  { to, from }: MigrateArguments,
): AsyncGenerator<string, void> {
  const target = to ?? (await definitions.get(name))?.publishedVersion;
  for await (const { runs } of all.list({ workflow: name, status: "running" })) {
    for (const { runId, version } of runs) {
      if (version !== target && (from === undefined || version === from)) yield runId;
    }
  }
}
