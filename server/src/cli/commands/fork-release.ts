/** `oxbow fork release`, `hold`, `guard`, `status` and `captures`: the state of a copy. */
import { maskedUrl } from "@oxbow/declared/net";
import {
  hasRealDay,
  guardIncarnation,
  holdIncarnation,
  type Incarnation,
  readIncarnation,
  releaseIncarnation,
} from "@oxbow/sdk/internal/server";
import type { Command } from "commander";
import { type ConnectionOptions, directUrl, withClient, withConnection } from "../connection.ts";
import { conflict, notFound, usageError } from "../exit-codes.ts";
import { printFacts, printJson, printList, printText } from "../output.ts";
import { count, showJson, showTime } from "../show.ts";
import { oneOf, type Timers, TIMERS, wholeNumber } from "../values.ts";
import { defined } from "../../defined.ts";

const MODES = ["sandbox", "live"] as const;

interface DirectOptions {
  readonly url?: string;
  readonly json?: boolean;
}

const withDatabaseOptions = (command: Command): Command =>
  command
    .option("--url <url>", "database, as postgres://... (default: QUEUE_URL, then DATABASE_URL)")
    .option("--json", "print JSON");

export function addReleaseCommands(fork: Command): void {
  addReleaseCommand(fork);
  addHoldCommand(fork);
  addGuardCommand(fork);
  addStatusCommand(fork);
  addCapturesCommand(fork);
}

function addReleaseCommand(fork: Command): void {
  withDatabaseOptions(fork.command("release"))
    .description("release a held copy, as a sandbox or as the live database")
    .requiredOption(
      "--as <mode>",
      "sandbox (captures deliveries to urls) or live",
      oneOf("--as", MODES),
    )
    .option(
      "--timers <what>",
      "timers: fire, shift (by the time since the copy) or hold",
      oneOf("--timers", TIMERS),
      "fire",
    )
    .action(
      async (
        options: DirectOptions & { readonly as: (typeof MODES)[number]; readonly timers: Timers },
      ) => {
        const { as, timers } = options;
        const release = await releaseIncarnation(directUrl(options.url, "fork release"), {
          as,
          timers,
        });
        if (release === undefined) {
          throw conflict(
            "NOT_HELD",
            "This database is not held. `oxbow fork status` shows its state; `oxbow fork hold` holds a copy that was not detected.",
          );
        }
        if (options.json === true) {
          const { id, leases, timers: moved, captured } = release;
          printJson({ id, state: as, leases, timers: moved, captured });
          return;
        }
        printText(`Released as ${as}.`);
        printFacts({
          incarnation: release.id,
          received_anew: count(release.leases, "run"),
          timers: release.timers === 0 ? "" : `${release.timers} moved or held`,
          captured: release.captured === 0 ? "" : `${release.captured} deliveries`,
        });
      },
    );
}

function addHoldCommand(fork: Command): void {
  withDatabaseOptions(fork.command("hold"))
    .description("hold a database that is a copy until it is released")
    .option("--origin <text>", "reason, shown by status", "held by hand")
    .option("--copied-at <time>", "time of the copy, in ISO 8601 (default: now)")
    .action(
      async (options: DirectOptions & { readonly origin: string; readonly copiedAt?: string }) => {
        const { origin, copiedAt } = options;
        if (
          copiedAt !== undefined &&
          (Number.isNaN(Date.parse(copiedAt)) || !hasRealDay(copiedAt))
        ) {
          throw usageError(
            `Invalid --copied-at "${copiedAt}": give a time like 2026-01-31T12:00:00Z.`,
          );
        }
        const isChanged = await holdIncarnation(directUrl(options.url, "fork hold"), {
          origin,
          ...(copiedAt === undefined ? {} : { copiedAt: new Date(copiedAt) }),
        });
        if (options.json === true) printJson({ changed: isChanged });
        if (!isChanged) throw conflict("NOT_CHANGED", "This database is already held.");
        if (options.json !== true) printText("Held, until `oxbow fork release`.");
      },
    );
}

function addGuardCommand(fork: Command): void {
  withDatabaseOptions(fork.command("guard"))
    .description("hold this database if its server is promoted, or recovered from an archive")
    .option("--off", "don't hold it: a promoted standby continues as the live database")
    .action(async (options: DirectOptions & { readonly off?: boolean }) => {
      const isGuarded = options.off !== true;
      const isChanged = await guardIncarnation(directUrl(options.url, "fork guard"), isGuarded);
      if (options.json === true) printJson({ guarded: isGuarded, changed: isChanged });
      else printText(isGuarded ? "Guarded." : "Not guarded.");
    });
}

function addStatusCommand(fork: Command): void {
  withDatabaseOptions(fork.command("status"))
    .description("show the state of a database: live, sandbox or held")
    .action(async (options: DirectOptions) => {
      const found = await readIncarnation(directUrl(options.url, "fork status"));
      if (found === undefined) {
        throw notFound(
          "NOT_INSTALLED",
          "Oxbow is not installed there, or is older than this command: run `oxbow migrate`.",
        );
      }
      if (options.json === true) printJson(found);
      else printFacts(factsOf(found));
    });
}

const factsOf = (found: Incarnation): Record<string, string | null> => ({
  state: found.state,
  incarnation: found.id,
  copy_of: found.parentId,
  origin: found.origin,
  since: showTime(found.since),
  copied_at: showTime(found.copiedAt),
  guarded: found.guarded === true ? "yes: held after a promotion" : "",
});

interface CapturesArguments extends ConnectionOptions {
  readonly after?: string;
  readonly limit: number;
}

function addCapturesCommand(fork: Command): void {
  withConnection(fork.command("captures"))
    .description(
      "list deliveries to urls, and requests of definitions, that a sandbox has captured",
    )
    .option("--after <id>", "only captures after this id")
    .option("--limit <number>", "at most this many", wholeNumber("--limit", 1), 100)
    .action(async (options: CapturesArguments) => {
      const { after, limit: max } = options;
      if (after !== undefined && !/^\d{1,18}$/.test(after)) {
        throw usageError(`Invalid --after "${after}": give the id of a capture.`);
      }
      const captured = await withClient(options, (client) =>
        client.topics.captured(defined({ max, after })),
      );
      const found = captured.map(({ url, headers, ...one }) =>
        url === null
          ? { ...one, url, headers }
          : {
              ...one,
              url: maskedUrl(url),
              headers: { ...(headers as object), url: maskedUrl(url) },
            },
      );
      printList(found, options, {
        none: "Nothing was captured.",
        row: ({ id, capturedAt, topic, runId, url, message }) => ({
          ID: id,
          AT: showTime(capturedAt),
          TOPIC: topic,
          RUN: runId,
          URL: url,
          MESSAGE: showJson(message),
        }),
      });
    });
}
