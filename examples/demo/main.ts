/**
 * `make demo`: a workflow outlives its worker. Starts a Postgres, a worker and a run, kills the worker in the middle
 * of a step, and shows how another one resumes. Exits with 0 only if the database agrees that all went as promised.
 */
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import type pg from "pg";
import { TABLES } from "./app.ts";
import { onboardUser } from "./onboard-user.ts";
import { type Call, findCalls, prove } from "./proof.ts";
import {
  atEnd,
  PATIENCE_MS,
  perform,
  sayClaims,
  serverVersion,
  startDatabase,
  until,
} from "./stage.ts";
import { type Colour, paint, say, seconds, table } from "./terminal.ts";
import { Timeline } from "./timeline.ts";
import type { Report } from "./worker.ts";
import { WorkerProcess } from "./worker-process.ts";

const WORKER = new URL("worker.ts", import.meta.url);

await perform(demo);

async function demo(): Promise<boolean> {
  say();
  say(paint("bold", "A workflow outlives its worker"));
  say();
  const timeline = new Timeline();

  const { url, database } = await startDatabase(TABLES);
  timeline.tell("postgres", "dim", `${await serverVersion(database)}, create extension oxbow`);

  const client = createWorkflowClient({ url });
  atEnd(() => client.close());
  const run = await client.start(onboardUser, { email: "ada@example.com" });
  timeline.tell("client", "blue", `starts onboard-user, run ${run.runId}`);

  const journaled = async (): Promise<string[]> => {
    const journal = await client.runs.steps(run.runId);
    return journal.map(({ name }) => name);
  };
  const startWorker = (name: string, colour: Colour): WorkerProcess<Report> => {
    const worker = new WorkerProcess<Report>(WORKER, url, (report) => {
      timeline.report(name, colour, report, journaled);
    });
    atEnd(() => worker.kill());
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
  const hold = sayClaims(claims);
  say();
  return hold;
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
