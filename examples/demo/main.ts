/**
 * `make demo`: a workflow outlives its worker. Starts a Postgres, a worker and a run, kills the worker in the middle
 * of a step, and shows how another one resumes. Exits with 0 only if the database agrees that all went as promised.
 */
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { startPostgres } from "@oxbow/sdk/testing";
import pg from "pg";
import { TABLES } from "./app.ts";
import { onboardUser } from "./onboard-user.ts";
import { type Call, findCalls, prove } from "./proof.ts";
import { type Colour, paint, say, seconds, table } from "./terminal.ts";
import { Timeline } from "./timeline.ts";
import { WorkerProcess } from "./worker-process.ts";

const EXTENSION_DIR = fileURLToPath(new URL("../../extension-sql/dist", import.meta.url));
const PATIENCE_MS = 30_000;

type Undo = () => Promise<unknown>;
const undoing: Undo[] = [];
let isLeaving = false;

process.on("SIGINT", () => void leave(130));
process.on("SIGTERM", () => void leave(143));

try {
  process.exitCode = (await demo()) ? 0 : 1;
} catch (error) {
  // Failures during the teardown are not worth a message.
  if (isLeaving) await new Promise(() => {});
  say();
  say(paint("red", `The demo failed: ${error instanceof Error ? error.message : String(error)}`));
  process.exitCode = 1;
}
await undo();

async function demo(): Promise<boolean> {
  say();
  say(paint("bold", "A workflow outlives its worker"));
  say();
  const timeline = new Timeline();

  const { url, database } = await startDatabase();
  timeline.tell("postgres", "dim", `${await serverVersion(database)}, create extension oxbow`);

  const client = createWorkflowClient({ url });
  undoing.push(() => client.close());
  const run = await client.start(onboardUser, { email: "ada@example.com" });
  timeline.tell("client", "blue", `starts onboard-user, run ${run.runId}`);

  const journaled = async (): Promise<string[]> => {
    const journal = await client.runs.steps(run.runId);
    return journal.map(({ name }) => name);
  };
  const startWorker = (name: string, colour: Colour): WorkerProcess => {
    const worker = new WorkerProcess(url, (report) => {
      timeline.report(name, colour, report, journaled);
    });
    undoing.push(() => worker.kill());
    timeline.tell(name, colour, `starts, process ${worker.pid}`);
    return worker;
  };

  const first = startWorker("worker A", "magenta");
  const percent = await until("send-welcome to be in its middle", () => progressOfMail(database));
  await first.kill();
  timeline.tell("SIGKILL", "red", `worker A dies in the middle of send-welcome, at ${percent} %`);

  const second = startWorker("worker B", "yellow");
  await until("the run to wait for its signal", () => isWaiting(client, run.runId));
  const outcome = await client.signal(run.runId, "verify", { userId: 1, by: "link" });
  timeline.tell("client", "blue", `sends the signal verify: ${outcome}`);

  const output = await run.result({ timeout: PATIENCE_MS });
  timeline.tell("client", "blue", `has the result ${JSON.stringify(output)}`);
  await second.stop();
  await timeline.told();

  const { status } = await client.runs.get(onboardUser.name, run.runId);
  const journal = await client.runs.steps(run.runId);
  const calls = await findCalls(database);

  say();
  say(paint("bold", "Journal of the run"));
  table(
    ["step", "kind", "attempts", "took", "value"],
    journal.map(({ name, kind, attempts, startedAt, completedAt, output: value }) => [
      name,
      kind,
      kind === "run" ? String(attempts) : "",
      `${seconds(completedAt.getTime() - startedAt.getTime())} s`,
      JSON.stringify(value) ?? "",
    ]),
  );

  say();
  say(paint("bold", "Calls of callbacks, as the application's own table has them"));
  const nameOf = new Map([
    [first.pid, "A"],
    [second.pid, "B"],
  ]);
  table(
    ["step", "worker", "process", "outcome"],
    calls.map((call) => [
      call.step,
      nameOf.get(call.pid) ?? "?",
      String(call.pid),
      outcomeOf(call, first.pid),
    ]),
  );

  say();
  const claims = await prove({ database, journal, calls, output, killed: first.pid, status });
  for (const { text, holds } of claims) {
    say(holds ? `${paint("green", "✔")} ${text}` : `${paint("red", "✘")} NOT TRUE: ${text}`);
  }
  say();
  return claims.every(({ holds }) => holds);
}

async function startDatabase(): Promise<{ url: string; database: pg.Client }> {
  const cluster = await startPostgres({ extensionDir: EXTENSION_DIR });
  undoing.push(() => cluster.stop({ mode: "immediate" }));
  const url = await cluster.createDatabase("demo");
  const database = new pg.Client({ connectionString: url });
  // The server goes first when the demo is interrupted.
  database.on("error", () => {});
  await database.connect();
  undoing.push(() => database.end());
  await database.query(`create extension oxbow; ${TABLES}`);
  return { url, database };
}

async function serverVersion(database: pg.Client): Promise<string> {
  const { rows } = await database.query<{ version: string }>("select version()");
  return /^PostgreSQL [\d.]+/.exec(rows[0]?.version ?? "")?.[0] ?? "PostgreSQL";
}

/** How far the mail is, once that is half of the way. */
async function progressOfMail(database: pg.Client): Promise<number | undefined> {
  const calls = await findCalls(database);
  return calls.find(({ step, percent }) => step === "send-welcome" && percent >= 50)?.percent;
}

async function isWaiting(client: WorkflowClient, runId: string): Promise<true | undefined> {
  const { activity, status } = await client.runs.get(onboardUser.name, runId);
  if (status !== "running") throw new Error(`the run has ended before its time: it ${status}.`);
  return activity === "waiting" ? true : undefined;
}

function outcomeOf({ returnedAt, percent, pid }: Call, killed: number): string {
  if (returnedAt !== null) return "returned";
  return pid === killed ? `killed at ${percent} %` : "threw, tried again";
}

/** Asks again and again until there is an answer. */
async function until<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (Date.now() < giveUpAt) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await pause(20);
  }
  throw new Error(`waited ${PATIENCE_MS / 1000} s in vain for ${what}.`);
}

/** Takes back whatever was started, the last first. */
async function undo(): Promise<void> {
  for (let step = undoing.pop(); step !== undefined; step = undoing.pop()) {
    // A part that can't be stopped doesn't prevent the others from stopping.
    await step().catch(() => {});
  }
}

/** Ctrl-C may come twice: from the terminal, and from the process that started this one. */
async function leave(code: number): Promise<void> {
  if (isLeaving) return;
  isLeaving = true;
  await undo();
  process.exit(code);
}
