/** Forks a database: chooses the driver, copies, and marks the copy as held before clients can connect to it. */
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { holdIncarnation } from "@oxbow/sdk/internal/server";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { basebackupDriver } from "./basebackup-driver.ts";
import { quarantine, startCluster } from "./cold-cluster.ts";
import { copyDriver } from "./copy-driver.ts";
import {
  type DriverName,
  type ForkDriver,
  type ForkPlan,
  type ForkSource,
  type ForkTarget,
  impossible,
  type Programs,
} from "./driver.ts";
import { dumpDriver } from "./dump-driver.ts";
import { findPrograms } from "./programs.ts";
import { snapshotDriver } from "./snapshot-driver.ts";
import { templateDriver, withName } from "./template-driver.ts";

/** The best one first. */
const DRIVERS: readonly ForkDriver[] = [
  snapshotDriver,
  copyDriver,
  basebackupDriver,
  templateDriver,
  dumpDriver,
];
export const DRIVER_NAMES: readonly DriverName[] = DRIVERS.map(({ name }) => name);

export interface ForkChoice extends ForkPlan {
  readonly driver: DriverName;
  readonly makes: ForkTarget["kind"];
}

/** A url is an empty database, text with a slash or a dot a directory, and a name a new database of the same cluster. */
export function parseTarget(given: string): ForkTarget {
  if (/^postgres(ql)?:\/\//i.test(given)) return { kind: "url", url: given };
  if (/[/\\.]/.test(given)) return { kind: "directory", path: resolve(given) };
  return { kind: "database", name: given };
}

/** The plan of each driver; without `target`, for any target that the driver supports. */
export async function planAll(
  source: ForkSource,
  target: ForkTarget | undefined,
  programs: Programs,
): Promise<ForkChoice[]> {
  const fitting = DRIVERS.filter(({ makes }) => target === undefined || makes === target.kind);
  const choices: ForkChoice[] = [];
  for (const driver of fitting) {
    const planned = await driver.plan(source, target ?? exampleOf(driver.makes));
    const plan = planned.isPossible ? await withPrograms(planned, driver, programs) : planned;
    choices.push({ driver: driver.name, makes: driver.makes, ...plan });
  }
  return choices;
}

/** Programs that open the copy are checked first, so that no copy remains that can't be opened. */
async function withPrograms(
  plan: ForkPlan,
  { needs }: ForkDriver,
  programs: Programs,
): Promise<ForkPlan> {
  try {
    for (const program of needs) await programs(program, ["--version"]);
    return plan;
  } catch (error) {
    return impossible((error as Error).message.replace(/\.$/, ""));
  }
}

const exampleOf = (kind: ForkTarget["kind"]): ForkTarget =>
  kind === "directory"
    ? { kind, path: resolve("fork") }
    : kind === "database"
      ? { kind, name: "fork" }
      : { kind, url: "" };

export interface ForkOptions {
  readonly driver: DriverName | undefined;
  readonly binDir: string | undefined;
  readonly port: number | undefined;
  /** False: a directory is left cold. */
  readonly isStarted: boolean;
}

export interface Fork {
  readonly driver: DriverName;
  readonly url: string;
  readonly copiedAt: Date;
  /** Port of a fork that is a cluster. */
  readonly dataDir: string | undefined;
  readonly tookMs: number;
}

/** @throws Error with the reasons if no driver can copy. */
export async function fork(
  source: ForkSource,
  target: ForkTarget,
  options: ForkOptions,
): Promise<Fork> {
  const startedAt = performance.now();
  if (target.kind === "directory") {
    if (existsSync(target.path)) {
      throw new Error(`${target.path} exists: give a directory that doesn't exist.`);
    }
    await mkdir(dirname(target.path), { recursive: true });
  }
  const programs = findPrograms(source.majorVersion, options.binDir);
  const driver = await choose(source, target, { wanted: options.driver, programs });
  const { copiedAt } = await driver.fork(source, target, programs);
  const url = await openOrRemove({ source, target, programs, copiedAt, options });
  return {
    driver: driver.name,
    url,
    copiedAt,
    dataDir: target.kind === "directory" ? target.path : undefined,
    tookMs: performance.now() - startedAt,
  };
}

async function choose(
  source: ForkSource,
  target: ForkTarget,
  { wanted, programs }: { readonly wanted: DriverName | undefined; readonly programs: Programs },
): Promise<ForkDriver> {
  const choices = (await planAll(source, target, programs)).filter(
    ({ driver }) => wanted === undefined || driver === wanted,
  );
  const chosen = choices.find(({ isPossible }) => isPossible);
  const driver = DRIVERS.find(({ name }) => name === chosen?.driver);
  if (driver !== undefined) return driver;
  const reasons = choices.map(({ driver: name, cost }) => `${name}: ${cost}`);
  throw new Error(
    reasons.length === 0
      ? `Driver ${wanted ?? ""} doesn't support ${target.kind} targets: see \`oxbow fork --check\`.`
      : `The source can't be forked there. ${reasons.join("; ")}.`,
  );
}

interface OpenOptions {
  readonly source: ForkSource;
  readonly target: ForkTarget;
  readonly programs: Programs;
  readonly copiedAt: Date;
  readonly options: ForkOptions;
}

/** Removes a copy of files that could not be marked as held. */
async function openOrRemove(parts: OpenOptions): Promise<string> {
  try {
    return await open(parts);
  } catch (error) {
    if (parts.target.kind === "directory") {
      await rm(parts.target.path, { recursive: true, force: true });
    }
    throw error;
  }
}

/** Marks the copy as held, and starts it. @returns Its url. */
async function open({ source, target, programs, copiedAt, options }: OpenOptions): Promise<string> {
  if (target.kind === "directory") {
    const port = options.port ?? (await findFreePort());
    const cluster = { dataDir: target.path, superuser: source.superuser, programs };
    const held = await quarantine(cluster, { port, copiedAt });
    if (options.isStarted) await startCluster(cluster);
    return urlAt(source, port, source.database ?? held[0] ?? "postgres");
  }
  // These databases detect that they are copies, but don't know the time of the copy.
  const url = target.kind === "url" ? target.url : withName(source.url ?? "", target.name);
  await holdIncarnation(url, {
    origin: `fork by ${target.kind === "url" ? "dump" : "template"}`,
    copiedAt,
  });
  return url;
}

/** Url with the role and the password of the source, which may name several servers. */
function urlAt(source: ForkSource, port: number, database: string): string {
  const url = source.url ?? `postgres://${source.superuser}@127.0.0.1/`;
  const [before = "postgres://"] = /^\w+:\/\/(?:[^/?#]*@)?/.exec(url) ?? [];
  return `${before}127.0.0.1:${port}/${encodeURIComponent(database)}`;
}
