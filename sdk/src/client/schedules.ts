import type { Codec } from "../core/codec.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";
import { toJournal } from "../core/json.ts";
import { checkScheduleName, checkStartableName, checkWorkflowName } from "../core/names.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import { validate } from "../core/schema.ts";
import type { InputOf, Workflow } from "../definition/workflow.ts";
import type {
  CreateScheduleRequest,
  Overlap,
  ScheduleOutcome,
  ScheduleRecord,
} from "../protocol/schedules.ts";
import { requireNameOfRoute } from "../protocol/routes.ts";
import type { TransactionClient } from "../protocol/transaction.ts";
import type { ClientTransport } from "../protocol/transport.ts";
import type { CatchUpMode } from "../schedule/due-ticks.ts";
import { firstTicks, tickTimes } from "../schedule/tick-times.ts";
import { RunHandle } from "./run-handle.ts";
import { routeIn } from "./start-request.ts";
import { type TransactionOptions, txOf } from "./transaction.ts";

/**
 * How a schedule handles missed ticks, which no worker or server has carried out within `grace` (default "1m"; 10s to
 * 1d). `latest`, the default, starts a run for the newest of them, unless a later tick was in time; `skip` starts
 * nothing; `backfill` starts a run for each of the newest `limit` (1 to 1000), in order.
 */
export type CatchUp =
  | "latest"
  | "skip"
  | { readonly mode: "latest" | "skip"; readonly grace?: Duration }
  | { readonly mode: "backfill"; readonly limit: number; readonly grace?: Duration };

export interface ScheduleOptions<Input = unknown> {
  /**
   * 1 to 256 characters, without control characters, and without a space at either end. Over the shards of a fleet, the
   * part before the first slash, or else the whole name, is the route of the schedule and of its runs: `acme` of
   * `acme/report`.
   */
  readonly name: string;
  /** The workflow to start: a definition, or a name. */
  readonly workflow: Workflow<Input> | string;
  /** Minute, hour, day of the month, month, day of the week; with six fields, the second comes first. Or `@daily` and the like. */
  readonly cron?: string;
  /** An interval of whole seconds, instead of `cron`. It ticks at its multiples since 1970 in UTC. */
  readonly every?: Duration;
  /** The time zone of `cron`, by its IANA name. Default "UTC". */
  readonly timeZone?: string;
  readonly input?: Input;
  /** The version to start. Default: the definition's; for a workflow given by name, the latest registered one at each tick. */
  readonly version?: number;
  /** Tags of the runs, in addition to the tag `schedule`, which holds the name of the schedule. */
  readonly tags?: Readonly<Record<string, unknown>>;
  /** How long ended runs are kept, rounded up to whole days. Default: the definition's, else 30 days. */
  readonly retention?: Duration;
  /**
   * Spreads schedules with the same ticks: all runs of a schedule start later by the same time, which is derived from
   * its name. This is the longest such time, up to 1d. Default: no jitter.
   */
  readonly jitter?: Duration;
  /** How missed ticks are handled. Default `latest`. */
  readonly catchUp?: CatchUp;
  /** With `skip`, a tick starts no run while the schedule's last run is in progress. Default `allow`. */
  readonly overlap?: Overlap;
  /** A connection with an open transaction of the caller: the change takes effect if and when that commits. */
  readonly tx?: TransactionClient;
}

/** A schedule as `schedules.list` returns it. */
export interface Schedule extends Omit<ScheduleRecord, "input"> {
  readonly input: unknown;
}

const SCHEDULE_OPTIONS: OptionNames<ScheduleOptions> = {
  name: true,
  workflow: true,
  cron: true,
  every: true,
  timeZone: true,
  input: true,
  version: true,
  tags: true,
  retention: true,
  jitter: true,
  catchUp: true,
  overlap: true,
  tx: true,
};
const CATCH_UP_OPTIONS = { mode: true, limit: true, grace: true } as const;
const PAUSE_OPTIONS: OptionNames<PauseOptions> = { reason: true, tx: true };

interface PauseOptions extends TransactionOptions {
  /** Shown with the schedule. */
  readonly reason?: string;
}

const DAY_MS = 86_400_000;
const MODES: readonly CatchUpMode[] = ["latest", "skip", "backfill"];
const OVERLAPS: readonly Overlap[] = ["allow", "skip"];

/** `client.schedules`: schedules that start runs. Any worker or server carries them out. */
export class Schedules {
  readonly #transport: ClientTransport;
  readonly #codec: Codec | undefined;

  constructor(transport: ClientTransport, codec: Codec | undefined) {
    this.#transport = transport;
    this.#codec = codec;
  }

  /**
   * Creates a schedule, or changes the existing schedule of that name; call it at each deployment. Changed ticks apply
   * from the time of the call; a paused schedule stays paused.
   *
   * @returns `created`, `changed` or `unchanged`.
   * @throws InvalidName, InvalidArgument, ValidationFailed, SerializationError, PayloadTooLarge
   * @example
   * await client.schedules.create({
   *   name: "weekday-report",
   *   workflow: report,
   *   cron: "0 9 * * 1-5",
   *   timeZone: "Europe/Berlin",
   *   input: { kind: "short" },
   * });
   */
  create(options: ScheduleOptions & { readonly workflow: string }): Promise<ScheduleOutcome>;
  create<Definition extends Workflow>(
    options: Omit<ScheduleOptions<InputOf<Definition>>, "workflow"> & {
      readonly workflow: Definition;
    },
  ): Promise<ScheduleOutcome>;
  async create(options: ScheduleOptions): Promise<ScheduleOutcome> {
    checkOptions(options, SCHEDULE_OPTIONS, "a schedule");
    if (typeof options.catchUp === "object") {
      checkOptions<object>(options.catchUp, CATCH_UP_OPTIONS, "the catchUp of a schedule");
    }
    return this.#transport.schedules.create(await this.#toRequest(options), options.tx);
  }

  /** Deletes a schedule; its runs stay. @returns False if no schedule has this name. */
  async delete(name: string, options?: TransactionOptions): Promise<boolean> {
    checkScheduleName(name);
    return this.#transport.schedules.delete(name, txOf(options, "delete()"));
  }

  /** Pauses a schedule: it starts no runs until it is resumed. @returns False if it was paused. @throws ScheduleNotFound */
  async pause(name: string, options: PauseOptions = {}): Promise<boolean> {
    checkScheduleName(name);
    checkOptions(options, PAUSE_OPTIONS, "pause()");
    const { reason, tx } = options;
    return this.#transport.schedules.pause(name, reason, tx);
  }

  /**
   * Resumes a schedule with its next tick. Ticks during the pause do not count as missed, and start no runs.
   *
   * @returns False if it was not paused.
   * @throws ScheduleNotFound
   */
  async resume(name: string, options?: TransactionOptions): Promise<boolean> {
    checkScheduleName(name);
    return this.#transport.schedules.resume(name, txOf(options, "resume()"));
  }

  /** Starts a run immediately, even if the schedule is paused. Its ticks do not change. @throws ScheduleNotFound */
  async trigger(name: string, options?: TransactionOptions): Promise<RunHandle> {
    const tx = txOf(options, "trigger()");
    checkScheduleName(name);
    const started = await this.#transport.schedules.trigger(name, tx);
    return new RunHandle(
      { transport: this.#transport, codec: this.#codec, events: undefined },
      started,
    );
  }

  /** Returns all schedules in the order of their names. */
  async list(): Promise<Schedule[]> {
    const records = await this.#transport.schedules.list(undefined);
    return records.map((record) => this.#toSchedule(record));
  }

  /** Returns a schedule; undefined if no schedule has this name. */
  async get(name: string): Promise<Schedule | undefined> {
    checkScheduleName(name);
    const [record] = await this.#transport.schedules.list(name);
    return record === undefined ? undefined : this.#toSchedule(record);
  }

  /**
   * Returns the next ticks of a schedule, without jitter, by this machine's clock.
   *
   * @param count - The number of ticks, from 1 to 1000.
   * @returns Fewer if the schedule has no more ticks, and an empty list if it is paused or does not exist.
   */
  async next(name: string, count = 5): Promise<Date[]> {
    checkCount(count, "ticks", 1_000);
    const schedule = await this.get(name);
    if (schedule === undefined || schedule.pausedAt !== null) return [];
    const { cron, everySeconds, timeZone } = schedule;
    const times = tickTimes(
      { cron: cron ?? undefined, everySeconds: everySeconds ?? undefined, timeZone },
      `schedule "${name}"`,
    );
    return firstTicks(times, count, Date.now());
  }

  #toSchedule(record: ScheduleRecord): Schedule {
    const { input } = record;
    const isEncoded = this.#codec !== undefined && input !== null;
    return { ...record, input: isEncoded ? this.#codec?.decode(input) : input };
  }

  async #toRequest(options: ScheduleOptions): Promise<CreateScheduleRequest> {
    const { name, workflow, cron, timeZone, input, tags, jitter, catchUp, overlap } = options;
    checkScheduleName(name);
    const what = `schedule "${name}"`;
    const definition = typeof workflow === "string" ? undefined : workflow;
    const workflowName = typeof workflow === "string" ? workflow : workflow.name;
    checkWorkflowName(workflowName);
    checkStartableName(workflowName);
    const everySeconds = checkRule(options, what);
    if (definition?.input !== undefined) {
      await validate(definition.input, input, `input of workflow "${workflowName}"`);
    }
    if (this.#transport.fleet !== undefined) requireNameOfRoute(name, routeIn(input, definition));
    const encoded = this.#codec === undefined ? input : this.#codec.encode(input);
    checkChoice("overlap", overlap, OVERLAPS, what);
    return {
      name,
      workflow: workflowName,
      version: options.version ?? definition?.version,
      cron,
      everySeconds,
      timeZone,
      input: toJournal(encoded, `the input of ${what}`).text,
      tags: tags === undefined ? undefined : toJournal(tags, `the tags of ${what}`).text,
      retentionDays:
        options.retention === undefined
          ? definition?.retentionDays
          : Math.ceil(parseDuration(options.retention, `the retention of ${what}`) / DAY_MS),
      jitterMs: jitter === undefined ? undefined : parseDuration(jitter, `the jitter of ${what}`),
      ...toCatchUp(catchUp, what),
      overlap,
    };
  }
}

/** Returns the seconds of an interval; undefined for a cron expression. */
function checkRule({ cron, every, timeZone }: ScheduleOptions, what: string): number | undefined {
  if ((cron === undefined) === (every === undefined)) {
    throw new InvalidArgument(
      `${capital(what)} needs either a cron expression (cron: "0 9 * * *") or an interval (every: "10m").`,
    );
  }
  if (every !== undefined) {
    const everyMs = parseDuration(every, `the interval of ${what}`);
    if (timeZone !== undefined && timeZone !== "UTC") {
      throw new InvalidArgument(
        `Time zone "${timeZone}" of ${what}, which has an interval: intervals don't depend on time zones. Omit it, or give cron.`,
      );
    }
    if (everyMs >= 1_000 && everyMs % 1_000 === 0) return everyMs / 1_000;
    throw new InvalidArgument(
      `Invalid interval ${JSON.stringify(every)} of ${what}: it is a whole number of seconds, at least one.`,
    );
  }
  const times = tickTimes({ cron, ...(timeZone === undefined ? {} : { timeZone }) }, what);
  if (firstTicks(times, 1, Date.now()).length === 0) {
    throw new InvalidArgument(
      `The cron expression "${cron}" of ${what} never ticks: no date matches it.`,
      { facts: { cron } },
    );
  }
  return undefined;
}

function toCatchUp(
  catchUp: CatchUp | undefined,
  what: string,
): Pick<CreateScheduleRequest, "catchUp" | "catchUpLimit" | "graceMs"> {
  const given = typeof catchUp === "object" ? catchUp : { mode: catchUp };
  checkChoice("catchUp", given.mode, MODES, what);
  const limit = "limit" in given ? given.limit : undefined;
  const grace = "grace" in given ? given.grace : undefined;
  if (given.mode === "backfill" && limit === undefined) {
    throw new InvalidArgument(
      `The backfill of ${what} has no limit: give { mode: "backfill", limit: 10 }, 1 to 1000.`,
    );
  }
  if (limit !== undefined) checkCount(limit, `ticks to fill in of ${what}`, 1_000);
  return {
    catchUp: given.mode,
    catchUpLimit: limit,
    graceMs: grace === undefined ? undefined : parseDuration(grace, `the grace of ${what}`),
  };
}

function checkCount(count: number, what: string, most: number): void {
  if (Number.isInteger(count) && count >= 1 && count <= most) return;
  throw new InvalidArgument(`Invalid number ${count} of ${what}: give 1 to ${most}.`);
}

function checkChoice(option: string, value: unknown, known: readonly string[], what: string): void {
  if (value === undefined || known.some((one) => one === value)) return;
  throw new InvalidArgument(
    `Invalid ${option} ${JSON.stringify(value)} of ${what}: it is one of ${known.join(", ")}.`,
  );
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
