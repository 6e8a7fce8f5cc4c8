/**
 * Writes `docs/reference/errors.md` from the error catalogue of the SDK and the texts of its errors. Run it with `make docs`; a test fails while the
 * page is out of date.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type CatalogueEntry,
  ERROR_CATALOGUE,
  type ErrorCode,
  SERVER_PROBLEMS,
  type ServerProblemCode,
} from "../sdk/src/core/error-catalogue.ts";
import { EXIT } from "../server/src/cli/exit-codes.ts";
import { ERROR_TEXTS, type ErrorText, PROBLEM_CAUSES, SQL_ONLY_TEXTS } from "./error-texts.ts";

const PAGE = new URL("reference/errors.md", import.meta.url);

const TOPICS: Readonly<Record<CatalogueEntry["topic"], string>> = {
  request: "Rejected requests",
  body: "In a workflow's body",
  step: "In a step's callback",
  result: "Results of runs",
  database: "Connection and installation",
};

const entries = Object.entries(ERROR_CATALOGUE).map(([code, entry]) => ({
  code,
  ...entry,
  ...ERROR_TEXTS[code as ErrorCode],
}));

/** The text of the page. */
export function errorReference(): string {
  return [
    "# Errors",
    "",
    "<!-- Made by `make docs` from sdk/src/core/error-catalogue.ts and docs/error-texts.ts: change it there. -->",
    "",
    "Compare errors by class or code, never by message: codes never change, messages may. `@oxbow/sdk` exports the classes, and `@oxbow/declared/client` those of definitions, triggers and resources.",
    "",
    "Every error of the SDK is an `OxbowError` with a `code`, a message that names the operation and a remedy, and `facts`, which holds the same for programs. `@oxbow/sdk` and `@oxbow/sdk/runtime` export the classes. SQL functions raise an SQLSTATE with a short fact and a hint. The server responds with a [problem](#http-problems), the command line with an [exit code](cli.md#exit-codes).",
    "",
    "Expected outcomes are results, not errors: a dead receipt (`false`, `lost`), an empty queue (no row), a signal to a run that has ended (`ignored`).",
    "",
    ...table(
      ["class", "code", "meaning", "SQLSTATE", "HTTP", "exit code"],
      entries.map((entry) => [
        `[${entry.class}](#${entry.class.toLowerCase()})`,
        `\`${entry.code}\``,
        entry.title,
        entry.sqlstate === undefined ? "" : `\`${entry.sqlstate}\``,
        entry.status === undefined ? "" : String(entry.status),
        String(EXIT[entry.outcome ?? "failed"]),
      ]),
    ),
    ...Object.entries(TOPICS).flatMap(([topic, title]) => [
      `## ${title}`,
      "",
      ...entries.filter((entry) => entry.topic === topic).flatMap((entry) => described(entry)),
    ]),
    "## SQL only",
    "",
    "These have no class: the driver's error reaches the caller.",
    "",
    ...Object.entries(SQL_ONLY_TEXTS).flatMap(([sqlstate, { title, cause, remedy }]) => [
      `### ${sqlstate}`,
      "",
      `**Meaning:** ${title}`,
      "",
      `**Cause:** ${cause}`,
      "",
      `**Remedy:** ${remedy}`,
      "",
    ]),
    "## HTTP problems",
    "",
    "The server rejects requests with a problem as in RFC 9457 (`application/problem+json`). Its `code` is one of the codes above, or one of these. `sqlstate` holds the database's code if the error is not one of Oxbow's. A 503 has a `Retry-After` header.",
    "",
    ...table(
      ["code", "status", "cause"],
      Object.entries(SERVER_PROBLEMS).map(([code, { status }]) => [
        `\`${code}\``,
        String(status),
        PROBLEM_CAUSES[code as ServerProblemCode],
      ]),
    ),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

function described(entry: CatalogueEntry & ErrorText & { readonly code: string }): string[] {
  return [
    `### ${entry.class}`,
    "",
    `**Code:** \`${entry.code}\``,
    "",
    `**Cause:** ${entry.cause}`,
    "",
    `**Remedy:** ${entry.remedy}`,
    "",
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [row(head), row(head.map(() => "---")), ...rows.map((cells) => row(cells)), ""];
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(PAGE, errorReference());
}
