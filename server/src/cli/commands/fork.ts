/** `oxbow fork`: copies of databases with their runs in flight. */
import type { Command } from "commander";
import { resolve } from "node:path";
import { adopt, type Adopted } from "../../fork/adopt.ts";
import { isRunning, stopCluster } from "../../fork/cold-cluster.ts";
import { type DriverName, majorVersionOf } from "../../fork/driver.ts";
import { DRIVER_NAMES, type Fork, fork, parseTarget, planAll } from "../../fork/fork.ts";
import { findPrograms } from "../../fork/programs.ts";
import { inspectSource } from "../../fork/source.ts";
import { conflict, usageError } from "../exit-codes.ts";
import { printFacts, printJson, printJsonLine, printRows, printText, style } from "../output.ts";
import { showDuration } from "../show.ts";
import { wholeNumber } from "../values.ts";
import { addReleaseCommands } from "./fork-release.ts";

interface ForkArguments {
  readonly check?: boolean;
  readonly driver?: string;
  readonly binDir?: string;
  readonly port?: number;
  readonly database?: string;
  readonly json?: boolean;
}

export function addForkCommand(program: Command): void {
  const command = program
    .command("fork")
    .description("copy a running database with its runs in flight; the copy is held")
    .argument("[source]", "url of a database, or data directory of a cluster")
    .argument(
      "[target]",
      "a directory (new cluster), a name (new database in the same cluster), or the url of an empty database",
    )
    .option("--check", "only list the drivers, whether they can copy it, and their cost")
    .option("--driver <name>", `${DRIVER_NAMES.join(", ")} (default: the first possible one)`)
    .option("--database <name>", "database with Oxbow, if the source is a directory")
    .option("--bin-dir <folder>", "folder of the programs of Postgres (default: searched)")
    .option("--port <number>", "port of the fork (default: a free port)", wholeNumber("--port", 1))
    .option("--json", "print JSON")
    .action(
      async (source: string | undefined, target: string | undefined, options: ForkArguments) => {
        if (source === undefined) {
          throw usageError(
            "Give a source: `oxbow fork <source> <target>`, or `oxbow fork <source> --check`.",
          );
        }
        if (options.check === true) await check(source, target, options);
        else if (target === undefined) throw usageError("Give a target, or --check.");
        else await make(source, target, options);
      },
    );
  addAdoptCommand(command);
  addReleaseCommands(command);
  addStopCommand(command);
}

async function check(
  from: string,
  to: string | undefined,
  { database, binDir, json }: ForkArguments,
): Promise<void> {
  const source = await inspectSource(from, { database });
  const target = to === undefined ? undefined : parseTarget(to);
  const choices = await planAll(source, target, findPrograms(source.majorVersion, binDir));
  if (json === true) {
    choices.forEach(printJsonLine);
    return;
  }
  printRows(
    choices.map(({ driver, makes, isPossible, cost }) => ({
      DRIVER: driver,
      MAKES: makes,
      CAN: isPossible ? style("green", "yes") : style("red", "no"),
      "COST, OR REASON": cost,
    })),
  );
}

async function make(from: string, to: string, options: ForkArguments): Promise<void> {
  const source = await inspectSource(from, { database: options.database });
  const made = await fork(source, parseTarget(to), {
    driver: driverOf(options.driver),
    binDir: options.binDir,
    port: options.port,
    isStarted: true,
  });
  if (options.json === true) printJson(made);
  else {
    printText(`Forked by ${made.driver} in ${showDuration(made.tookMs)}. The fork is held.`);
    printFacts(factsOf(made));
  }
}

const factsOf = ({ url, dataDir }: Fork | Adopted): Record<string, string> => ({
  url,
  ...(dataDir === undefined ? {} : { data: dataDir }),
  release: `oxbow fork release --as sandbox --url ${url}`,
  ...(dataDir === undefined ? {} : { stop: `oxbow fork stop ${dataDir}` }),
});

function driverOf(given: string | undefined): DriverName | undefined {
  const found = DRIVER_NAMES.find((name) => name === given);
  if (found !== undefined || given === undefined) return found;
  throw usageError(`Unknown driver "${given}": give one of ${DRIVER_NAMES.join(", ")}.`);
}

function addAdoptCommand(command: Command): void {
  command
    .command("adopt")
    .description("start a cluster from a snapshot (ZFS, LVM, a volume); its database is held")
    .argument("<directory>", "data directory in a writable snapshot")
    .option("--database <name>", "database with Oxbow (default: the first)")
    .option("--bin-dir <folder>", "folder of the programs of Postgres (default: searched)")
    .option("--port <number>", "port of the fork (default: a free port)", wholeNumber("--port", 1))
    .option("--json", "print JSON")
    .action(async (directory: string, { database, binDir, port, json }: ForkArguments) => {
      const made = await adopt(directory, { database, binDir, port });
      if (json === true) printJson(made);
      else {
        printText("Adopted. The fork is held.");
        printFacts(factsOf(made));
      }
    });
}

function addStopCommand(command: Command): void {
  command
    .command("stop")
    .description("stop the server of a fork; its data is kept")
    .argument("<directory>", "data directory of the fork")
    .option("--bin-dir <folder>", "folder of the programs of Postgres (default: searched)")
    .action(async (given: string, { binDir }: { readonly binDir?: string }) => {
      const dataDir = resolve(given);
      if (!isRunning(dataDir)) throw conflict("NOT_RUNNING", `No server runs on ${dataDir}.`);
      const programs = findPrograms(majorVersionOf(dataDir), binDir);
      await stopCluster({ dataDir, superuser: "postgres", programs });
      printText(`Stopped. Start it again with pg_ctl, or remove ${dataDir}.`);
    });
}
