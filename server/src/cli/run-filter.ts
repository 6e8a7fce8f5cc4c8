import type { RunActivity, RunFilter } from "@oxbow/sdk";
import type { Command } from "commander";
import { usageError } from "./exit-codes.ts";
import { RUN_ACTIVITIES, RUN_STATUSES } from "../run-states.ts";
import { gather, instant, oneOf, parseJson, parsePairs, wholeNumber } from "./values.ts";

type Status = (typeof RUN_STATUSES)[number];

export interface FilterArguments {
  readonly workflow?: string;
  readonly status?: readonly Status[];
  readonly since?: Date;
  readonly until?: Date;
  readonly tag?: readonly string[];
  readonly version?: number;
  readonly paused?: boolean;
  readonly input?: string;
  readonly errorCode?: string;
  readonly key?: string;
  readonly activity?: readonly RunActivity[];
  readonly parent?: string;
  readonly error?: string;
}

/** Adds the options that select runs. */
export function withFilter(command: Command): Command {
  return command
    .option("--workflow <name>", "runs of this workflow")
    .option(
      "--status <status>",
      "running, completed, failed or cancelled; several separated by commas",
      statuses,
    )
    .option(
      "--since <time>",
      "started at or after this time; 2h is two hours ago",
      instant("--since", "ago"),
    )
    .option("--until <time>", "started before this time", instant("--until", "ago"))
    .option(
      "--tag <key=value>",
      "with this tag; key:=json for values that are not strings; repeatable",
      gather,
    )
    .option("--version <number>", "runs of this version", wholeNumber("--version"))
    .option("--paused", "paused runs")
    .option("--input <json>", "input contains this JSON")
    .option("--error-code <code>", "failed with this error code")
    .option("--error <text>", "failed with an error whose name or message contains this text")
    .option("--key <key>", "with this idempotency key")
    .option(
      "--activity <activity>",
      `running runs that are ${RUN_ACTIVITIES.slice(0, -1).join(", ")} or ${RUN_ACTIVITIES.at(-1)}; several separated by commas`,
      activities,
    )
    .option("--parent <run>", "started by a step of this run");
}

/** Words separated by commas; the option may be repeated. */
const wordsOf =
  <Word extends string>(option: string, words: readonly Word[]) =>
  (text: string, before: readonly Word[] = []): Word[] => [
    ...before,
    ...text.split(",").map((word) => oneOf(option, words)(word.trim())),
  ];
const statuses = wordsOf("--status", RUN_STATUSES);
const activities = wordsOf("--activity", RUN_ACTIVITIES);

export const toRunFilter = (given: FilterArguments): RunFilter => ({
  workflow: given.workflow,
  status: given.status,
  startedAfter: given.since,
  startedBefore: given.until,
  tags: parsePairs(given.tag, "--tag"),
  version: given.version,
  paused: given.paused,
  ...(given.input === undefined ? {} : { input: parseJson(given.input, "--input") }),
  errorCode: given.errorCode,
  errorText: given.error,
  idempotencyKey: given.key,
  activity: given.activity,
  parent: given.parent,
});

/** The runs that a command changes: by id, or by a filter. */
export type Selection =
  | { readonly kind: "named"; readonly runIds: readonly string[] }
  | { readonly kind: "filtered"; readonly filter: RunFilter };

export function selectionOf(
  command: string,
  runIds: readonly string[],
  given: FilterArguments & { readonly all?: boolean },
): Selection {
  const filter = toRunFilter(given);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (runIds.length > 0) {
    if (!isFiltered && given.all !== true) return { kind: "named", runIds };
    throw usageError(`Give \`oxbow runs ${command}\` either run ids or a filter, not both.`);
  }
  if (isFiltered || given.all === true) return { kind: "filtered", filter };
  throw usageError(
    `Which runs? Give \`oxbow runs ${command}\` run ids, a filter like --workflow <name>, or --all.`,
  );
}
