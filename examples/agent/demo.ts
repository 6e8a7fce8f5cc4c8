/**
 * `make demo-agent`: an agent outlives its worker. A customer asks for a refund; the worker is killed in the middle of the
 * answer, another one continues, and the refund waits for approval. Exits with 0 only if the database agrees that all went
 * as promised.
 */
import { chatRoutes } from "@oxbow/ai";
import { createWorkflowClient, type RunSummary, type WorkflowClient } from "@oxbow/sdk";
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import type pg from "pg";
import { isDeepStrictEqual } from "node:util";
import {
  atEnd,
  claim,
  type Claim,
  perform,
  rowsOf,
  sayClaims,
  serverVersion,
  startDatabase,
  until,
} from "../demo/stage.ts";
import { type Colour, paint, say, seconds, table } from "../demo/terminal.ts";
import { WorkerProcess } from "../demo/worker-process.ts";
import { Script } from "./script.ts";
import { TABLES } from "./shop.ts";
import { support } from "./support.ts";
import type { Report } from "./worker.ts";

const WORKER = new URL("worker.ts", import.meta.url);
const QUESTION = "The lamp of order 7 arrived broken. I want my money back.";
const LONGEST = 60;

await perform(demo);

async function demo(): Promise<boolean> {
  say();
  say(paint("bold", "An agent outlives its worker"));
  say();
  const script = new Script();

  const { url, database } = await startDatabase(TABLES);
  script.tell("postgres", "dim", `${await serverVersion(database)}, create extension oxbow`);
  const client = createWorkflowClient({ url });
  atEnd(() => client.close());

  const called: string[] = [];
  const startWorker = (name: string, assistant: string, colour: Colour): WorkerProcess<Report> => {
    const onReport = (report: Report): void => {
      if (report.kind === "serving") return;
      called.push(report.step);
      script.tell(name, colour, `calls ${paint("bold", report.step)}`);
    };
    const env = { ASSISTANT: assistant, MODEL: "" };
    const worker = new WorkerProcess<Report>(WORKER, url, onReport, env);
    atEnd(() => worker.kill());
    script.tell(name, colour, `starts, process ${worker.pid}`);
    return worker;
  };

  const first = startWorker("worker A", "Olga", "magenta");
  script.tell("customer", "blue", `asks: ${QUESTION}`);
  let shown: UIMessage | undefined;
  const reading = (async () => {
    for await (const message of await ask(client)) {
      shown = message;
      script.show(message);
    }
  })();

  await until("the answer to be in its middle", () =>
    Promise.resolve(script.words >= 30 ? true : undefined),
  );
  await first.kill();
  const cut = called.at(-1) ?? "";
  script.tell("SIGKILL", "red", `worker A dies in the middle of ${cut}`);

  const second = startWorker("worker B", "Bert", "yellow");
  const request = await until("a request for approval", () => requestOf(client));
  script.tell("desk", "green", `is asked "${request.title}", and approves`);
  await client.approvals.decide(request.id, "approved", { actor: "desk" });
  await reading;
  const run = await until("the run to end", () => endedRun(client));
  await second.stop();
  script.end();

  const journal = await client.runs.steps(run.runId);
  say();
  say(paint("bold", "Journal of the run"));
  table(
    ["step", "kind", "took", "result"],
    journal.map(({ name, kind, startedAt, completedAt, output }) => [
      name,
      kind,
      `${seconds(completedAt.getTime() - startedAt.getTime())} s`,
      brief(output),
    ]),
  );

  const repeated = called.filter((step, n) => called.indexOf(step) !== n);
  const names = journal.map(({ name }) => name);
  const answer = JSON.stringify(run.output);
  say();
  const hold = sayClaims([
    claim("The run completed.", run.status === "completed", run.status),
    claim(
      "The journal has each call of the model and of a tool once.",
      new Set(names).size === names.length &&
        names.filter((name) => name.startsWith("stream ")).length === 4,
      names.join(", "),
    ),
    claim(
      "Only the call that was cut off was made again.",
      repeated.length === 1 && repeated[0] === cut,
      repeated.join(", "),
    ),
    claim(
      "The answer has all of Bert's words, and no word of the answer that was cut off.",
      answer.includes("Bert") && !answer.includes("Olga"),
      answer,
    ),
    claim(
      "The customer was shown exactly the answer that is journaled.",
      isDeepStrictEqual(JSON.parse(JSON.stringify(shown)), run.output),
      JSON.stringify(shown),
    ),
    await one(database, "The refund was paid once.", "select from shop.refund"),
    await one(database, "The customer got one mail.", "select from shop.mail"),
    claim(
      "queue.check_invariants() finds nothing.",
      (await rowsOf(database, "select from queue.check_invariants()")).length === 0,
    ),
  ]);
  say();
  return hold;
}

/** Asks as `useChat` does, and yields the message of the assistant as it grows. */
async function ask(client: WorkflowClient): Promise<AsyncIterable<UIMessage>> {
  const chat = chatRoutes(client, support);
  const transport = new DefaultChatTransport({
    api: "http://shop.example.com/api/chat",
    fetch: (url, init) => chat.POST(new Request(url, init)),
  });
  const stream = await transport.sendMessages({
    chatId: "chat-1",
    messages: [{ id: "question-1", role: "user", parts: [{ type: "text", text: QUESTION }] }],
    trigger: "submit-message",
    messageId: undefined,
    abortSignal: undefined,
  });
  return readUIMessageStream({ stream });
}

async function requestOf(
  client: WorkflowClient,
): Promise<{ readonly id: string; readonly title: string } | undefined> {
  for await (const { approvals } of client.approvals.list({ status: "waiting" })) {
    return approvals[0];
  }
  return undefined;
}

/** The only run, unless it is still running. */
async function endedRun(client: WorkflowClient): Promise<RunSummary | undefined> {
  for await (const { runs } of client.runs.list({ workflow: support }, { withValues: true })) {
    const [run] = runs;
    return run?.status === "running" ? undefined : run;
  }
  return undefined;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

async function one(database: pg.Client, text: string, query: string): Promise<Claim> {
  const { length } = await rowsOf(database, query);
  return claim(text, length === 1, `${length} rows`);
}
