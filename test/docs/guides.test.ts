/**
 * The TypeScript of the guides compiles. Most of it is a fragment: the names that a page takes for granted are
 * declared here, so that whatever is Oxbow's is checked against its types.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { blocksOf, readPage, ROOT } from "./pages.ts";

// Within the repository, so that packages are found.
mkdirSync(join(ROOT, ".tmp"), { recursive: true });
const directory = mkdtempSync(join(ROOT, ".tmp", "guides-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Tested whole: testing.md by its own test, these files by test/transactions. */
const pages = readdirSync(join(ROOT, "docs/guides")).filter((page) => page !== "testing.md");
const adapters = new Set(
  readdirSync(join(ROOT, "examples/transactions")).map((file) =>
    readFileSync(join(ROOT, "examples/transactions", file), "utf8"),
  ),
);

/** What is the reader's own, of any type; `Mail` and `Payment` are types. */
const READERS: Readonly<Record<string, string>> = {
  "child-runs.md": "syncCrm user readFrom",
  "errors.md": "redeem order charge tickets url mail mail2 user",
  "operating.md": "syncAccount id monday file shipOrder order runId model question lastSeen socket",
  "parallel.md": "sendMail makeInvoice user order cities fetchWeather files measure",
  "queues.md": "url Mail Payment smtp inTransaction",
  "retries.md": "charge order",
  "rollback.md": "flights hotels payments trip runId",
  "schedules.md": "report",
  "signals.md": "user runId input invoice chat room text z orderRunId order",
  "sleeping.md": "trial",
  "topics.md": "secret body request",
  "transactions.md": "db id total orders shipOrder fromDrizzle sum",
};

const declarationOf = (name: string): string =>
  /^[A-Z]/.test(name) ? `type ${name} = any;` : `declare let ${name}: any;`;

const PREAMBLE = `
import { createWorkflowClient, type RunHandle, type WorkflowClient } from "@oxbow/sdk";
import { type Context, NonRetriableError, RetryAfterError, StepFailed, workflow } from "@oxbow/sdk/runtime";
declare const client: WorkflowClient;
declare const run: RunHandle;
void [createWorkflowClient, NonRetriableError, RetryAfterError, StepFailed, workflow];
`;

/** The fragment in a function, with its imports before it and what it leaves out as an empty block. */
function toFunction(fragment: string, index: number): string {
  const imports = fragment.match(/^import .*;$/gm) ?? [];
  const body = fragment
    .replaceAll(/^import .*;$/gm, "")
    .replaceAll(/^export /gm, "")
    .replaceAll(/\{ … \}| …$/gm, " {}");
  return `${imports.filter((line) => !line.includes("@oxbow/")).join("\n")}
export async function fragment${index}(ctx: Context) {
${body}
}
`;
}

it("is TypeScript that compiles, page for page", () => {
  for (const page of pages) {
    const blocks = blocksOf(readPage(`docs/guides/${page}`), "ts").filter(
      (block) => !adapters.has(block),
    );
    if (blocks.length === 0) continue;
    const readers = (READERS[page] ?? "").split(" ").filter((name) => name !== "");
    const parts = [PREAMBLE, ...readers.map(declarationOf), ...blocks.map(toFunction)];
    writeFileSync(join(directory, page.replace(".md", ".ts")), parts.join("\n"));
  }
  const compilerOptions = {
    noEmit: true,
    // The reader's own have no types here, and a fragment may end with a throw.
    noImplicitAny: false,
    allowUnreachableCode: true,
    // As most projects have it.
    noUncheckedIndexedAccess: false,
    noImplicitReturns: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    noPropertyAccessFromIndexSignature: false,
  };
  writeFileSync(
    join(directory, "tsconfig.json"),
    JSON.stringify({ extends: "../../tsconfig.base.json", compilerOptions, include: ["*.ts"] }),
  );
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", directory], { encoding: "utf8" });
  expect(stdout.split("\n").filter((line) => line.includes("error"))).toEqual([]);
}, 120_000);
