/** Whether the database can be used, or which of the shards. */
import { type Transport, within } from "@oxbow/sdk/internal/server";
import { sharedLook } from "./shared-look.ts";
import { messageOf } from "../message-of.ts";

type Statistics = NonNullable<Transport["statistics"]>;

interface ReadyRun {
  readonly workflow: string;
  readonly ageSeconds: number;
}

export interface DatabaseReadiness {
  readonly status: string;
  readonly reason?: string;
  /** Version of the tables and functions. */
  readonly schema?: string;
  readonly incarnation?: string;
  readonly oldestReadyRun?: ReadyRun | null;
  /** How old lists, counts and metrics are; null while the standby that serves them does not answer. */
  readonly readAgeSeconds?: number | null;
}

export interface ServerReadiness extends DatabaseReadiness {
  /** Readiness of each shard, if there are several. */
  readonly shards?: Readonly<Record<string, DatabaseReadiness>>;
}

export const READY = "ready";
const NOT_READY = "not ready";
const ANSWERS_WITHIN_MS = 2_000;
/** Less, so that a standby that hangs takes no working database out of service. */
const STANDBY_WITHIN_MS = 1_000;

export class Readiness {
  readonly #transport: Transport;
  #looks: Map<string, () => Promise<DatabaseReadiness>> | undefined;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** While one shard answers, the server has something to serve: without it, all of them would be out of reach. */
  async look(): Promise<ServerReadiness> {
    this.#looks ??= looksOf(this.#transport);
    const found = await Promise.all(
      [...this.#looks].map(async ([name, look]) => [name, await inTime(look())] as const),
    );
    const states = found.map(([, state]) => state);
    const [one] = states;
    if (this.#transport.fleet === undefined && one !== undefined) return one;
    const known = new Set(states.flatMap(({ incarnation }) => incarnation ?? []));
    const incarnation = ["held", "sandbox", "live"].find((state) => known.has(state));
    return {
      status: states.some(({ status }) => status === READY) ? READY : NOT_READY,
      ...(incarnation === undefined ? {} : { incarnation }),
      oldestReadyRun: oldestOf(states),
      shards: Object.fromEntries(found),
    };
  }
}

function oldestOf(states: readonly DatabaseReadiness[]): ReadyRun | null {
  const runs = states.flatMap(({ oldestReadyRun }) => oldestReadyRun ?? []);
  return runs.toSorted((one, other) => other.ageSeconds - one.ageSeconds)[0] ?? null;
}

function looksOf(transport: Transport): Map<string, () => Promise<DatabaseReadiness>> {
  const lanes = transport.fleet?.lanes ?? [{ name: "", transport }];
  return new Map(lanes.map((lane) => [lane.name, sharedLook(() => ask(lane.transport))]));
}

async function inTime(asked: Promise<DatabaseReadiness>): Promise<DatabaseReadiness> {
  try {
    if (await within(ANSWERS_WITHIN_MS, asked)) return await asked;
    return { status: NOT_READY, reason: "The database does not answer in time." };
  } catch (error) {
    return { status: NOT_READY, reason: messageOf(error) };
  }
}

/** Queries every time, because the check of versions is made only once. */
async function ask(transport: Transport): Promise<DatabaseReadiness> {
  const { statistics, fork } = transport;
  const [schema, incarnation, reads] = await Promise.all([
    statistics?.version(),
    fork?.incarnation(),
    statistics === undefined ? {} : askReads(statistics),
  ]);
  return {
    status: READY,
    ...(schema === undefined ? {} : { schema }),
    ...(incarnation === undefined ? {} : { incarnation: incarnation.state }),
    ...reads,
  };
}

type Reads = Pick<DatabaseReadiness, "oldestReadyRun" | "readAgeSeconds">;

/** A standby takes no working database out of service; without one, the database itself is asked. */
async function askReads(statistics: Statistics): Promise<Reads> {
  const asked = readsOf(statistics);
  if (!statistics.hasStandby) return asked;
  const isInTime = await within(STANDBY_WITHIN_MS, asked).catch(() => false);
  return isInTime ? asked : { readAgeSeconds: null };
}

async function readsOf(statistics: Statistics): Promise<Reads> {
  const [lags, readAgeSeconds] = await Promise.all([statistics.lag(), statistics.readAge()]);
  const [oldest] = lags;
  return {
    oldestReadyRun:
      oldest === undefined ? null : { workflow: oldest.name, ageSeconds: oldest.lagSeconds },
    readAgeSeconds,
  };
}
