import type { RunFilter } from "@oxbow/sdk";
import type { Command } from "commander";
import { usageError } from "./exit-codes.ts";
import { gather, instant, oneOf, parseJson, parsePairs, wholeNumber } from "./values.ts";

const STATUSES = ["running", "completed", "failed", "cancelled"] as const;
type Status = (typeof STATUSES)[number];

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
}

/** Adds the options that say which runs are meant. */
export function withFilter(command: Command): Command {
  return command
    .option("--workflow <name>", "of this workflow")
    .option(
      "--status <status>",
      "running, completed, failed, cancelled; several with commas",
      statuses,
    )
    .option(
      "--since <time>",
      "started since: a time, or 2h for two hours ago",
      instant("--since", "ago"),
    )
    .option("--until <time>", "started before", instant("--until", "ago"))
    .option("--tag <key=value>", "with this tag; key:=json for what isn't text; repeatable", gather)
    .option("--version <number>", "of this version", wholeNumber("--version"))
    .option("--paused", "only paused ones")
    .option("--input <json>", "whose input contains this")
    .option("--error-code <code>", "that ended by an error with this code")
    .option("--key <key>", "with this idempotency key");
}

const aStatus = oneOf("--status", STATUSES);

const statuses = (text: string, before: readonly Status[] = []): Status[] => [
  ...before,
  ...text.split(",").map((word) => aStatus(word.trim())),
];

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
  idempotencyKey: given.key,
});

/** Which runs a command is about: those that are named, or those that fit a filter. */
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
