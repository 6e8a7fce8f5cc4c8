/** A client of the workload: makes the calls of a plan until each is acknowledged. Argument: its settings as JSON. */
import { setTimeout as pause } from "node:timers/promises";
import { createWorkflowClient, type RunHandle, type WorkflowClient } from "@oxbow/sdk";
import { type Item, type Lane, monotonic, type Verb } from "../record.ts";
import { AuditLog } from "../workload/log.ts";
import { type Load, plan, type PlannedCall } from "../workload/plan.ts";
import { TOPIC } from "../workload/queues.ts";

export interface ClientSettings {
  readonly auditor: number;
  readonly trial: string;
  readonly seed: number;
  readonly load: Load;
  readonly urls: Partial<Readonly<Record<Lane, string>>>;
  /** How long a call is repeated before it is given up. */
  readonly patienceMs: number;
}

const settings = JSON.parse(process.argv[2] ?? "{}") as ClientSettings;
const { trial, seed, load, urls, patienceMs } = settings;
const log = await AuditLog.open(settings.auditor);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const clients = new Map<Lane, WorkflowClient>();
for (const [lane, url] of Object.entries(urls) as [Lane, string][]) {
  clients.set(lane, createWorkflowClient({ url, answerTimeout: "5s" }));
}
const clientOf = (lane: Lane): WorkflowClient => {
  const client = clients.get(lane);
  if (client === undefined) throw new Error(`No way ${lane}.`);
  return client;
};

const newcomers = new Map<Lane, { readonly client: WorkflowClient; starts: number }>();

/** For starts: as many as the load allows one connection, where it does. Each is left to be closed by the end. */
function starterOf(lane: Lane): WorkflowClient {
  if (load.startsPerConnection === 0) return clientOf(lane);
  let newcomer = newcomers.get(lane);
  if (newcomer === undefined || newcomer.starts === load.startsPerConnection) {
    const url = urls[lane] ?? "";
    const client = createWorkflowClient({ url, answerTimeout: "5s", maxConnections: 1 });
    newcomer = { client, starts: 0 };
    newcomers.set(lane, newcomer);
  }
  newcomer.starts += 1;
  return newcomer.client;
}

interface Call {
  readonly op: string;
  readonly verb: Verb;
  readonly lane: Lane;
  readonly item: Item;
}

/** Errors that are an answer: the same call would be answered the same again. */
const FINAL: Readonly<Partial<Record<Verb, readonly string[]>>> = {
  result: ["RUN_FAILED", "RUN_CANCELLED", "RUN_NOT_FOUND"],
  signal: ["RUN_NOT_FOUND"],
  cancel: ["RUN_NOT_FOUND"],
};

/** Makes a call until it is acknowledged; the answer, or undefined when it was given up. */
async function insist<Answer>(
  { op, verb, lane, item }: Call,
  make: () => Promise<Answer>,
  toAnswer: (answer: Answer) => unknown,
): Promise<Answer | undefined> {
  // The end of a run may be far away: whether it comes is for the drain to say.
  const deadline = monotonic() + (verb === "result" ? 4 : 1) * patienceMs;
  for (;;) {
    await log.note({ kind: "called", trial, op, verb, lane });
    try {
      const answer = await make();
      await log.note({ kind: "acknowledged", trial, op, verb, item, answer: toAnswer(answer) });
      return answer;
    } catch (error) {
      const text = describe(error);
      const code = codeOf(error);
      if (FINAL[verb]?.includes(code) === true) {
        const answer = { code, cause: describe((error as Error).cause) };
        await log.note({ kind: "acknowledged", trial, op, verb, item, answer });
        return undefined;
      }
      if (monotonic() > deadline) {
        await log.note({ kind: "given-up", trial, op, verb, error: text });
        return undefined;
      }
      await log.note({ kind: "refused", trial, op, verb, error: text });
      await pause(250);
    }
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";
const describe = (error: unknown): string =>
  error instanceof Error ? `${codeOf(error)} ${error.message}` : String(error);

async function start({ op, lane, item, follow }: PlannedCall): Promise<void> {
  if (item.what !== "run") return;
  const { workflow, input } = item;
  const starter = starterOf(lane);
  const run = await insist<RunHandle>(
    { op, verb: "start", lane, item },
    () => starter.start(workflow, input, { idempotencyKey: op }),
    ({ runId }) => runId,
  );
  if (run === undefined) return;
  const { runId } = run;
  const waits = follow === "signal";
  if (waits) await signal(op, lane, runId, input.number);
  const cancel = (): Promise<unknown> =>
    insist(
      { op: `${op}:cancel`, verb: "cancel", lane, item: { what: "cancel", run: runId } },
      () => run.cancel(),
      (answer) => answer,
    );
  if (follow === "cancel") await cancel();
  await insist(
    { op: `${op}:result`, verb: "result", lane, item },
    async () => {
      try {
        return await run.result({ timeout: "60s" });
      } catch (error) {
        // A signal may have gone with the tail of a database; with its id it counts once.
        if (waits && codeOf(error) === "DEADLINE_EXCEEDED")
          await signal(op, lane, runId, input.number);
        if (follow === "cancel" && codeOf(error) === "DEADLINE_EXCEEDED") await cancel();
        throw error;
      }
    },
    (output) => ({ output }),
  );
}

async function signal(op: string, lane: Lane, runId: string, number: number): Promise<void> {
  const item: Item = { what: "signal", run: runId, number };
  const give = (of: string, payload: object): Promise<unknown> =>
    insist(
      { op: of, verb: "signal", lane, item },
      () => clientOf(lane).signal(runId, "go", payload, { deduplicationId: of }),
      (answer) => answer,
    );
  await give(`${op}:signal`, { number, value: number + 7 });
  const more = Array.from({ length: load.signals - 1 }, (_, n) => n + 1);
  await Promise.all(more.map((n) => give(`${op}:signal-${n}`, { number: -n })));
}

const lastSends = new Map<string, Promise<unknown>>();

async function send({ op, lane, item }: PlannedCall): Promise<void> {
  if (item.what !== "message") return;
  const { queue, group, number } = item;
  // One sender a group, or there is no order to keep.
  const place = `${queue} ${group}`;
  const before = lastSends.get(place);
  const sent = (async () => {
    await before;
    await insist(
      { op, verb: "send", lane, item },
      () =>
        clientOf(lane).queues.sendFifo(
          queue,
          { trial, group, number },
          { groupId: group, deduplicationId: op },
        ),
      (id) => id,
    );
  })();
  lastSends.set(place, sent);
  await sent;
}

async function publish({ op, lane, item }: PlannedCall): Promise<void> {
  if (item.what !== "note") return;
  await insist(
    { op, verb: "publish", lane, item },
    () =>
      clientOf(lane).topics.publish(TOPIC, {
        trial,
        group: "",
        number: item.number,
        ms: load.stepMs,
      }),
    (targets) => targets,
  );
}

/** Messages of a group are sent in the order of their numbers, whenever each is due. */
function inOrder(calls: readonly PlannedCall[]): PlannedCall[] {
  const numbers = new Map<string, PlannedCall[]>();
  for (const call of calls) {
    if (call.item.what !== "message") continue;
    const place = `${call.item.queue} ${call.item.group}`;
    numbers.set(place, [...(numbers.get(place) ?? []), call]);
  }
  for (const sends of numbers.values()) {
    sends.sort((a, b) => numberOf(a) - numberOf(b));
  }
  return calls.map((call) => {
    if (call.item.what !== "message") return call;
    const next = numbers.get(`${call.item.queue} ${call.item.group}`)?.shift();
    return next === undefined ? call : { ...next, afterMs: call.afterMs };
  });
}

const numberOf = ({ item }: PlannedCall): number => (item.what === "message" ? item.number : 0);

type Planned = "start" | "send" | "publish";

const MAKE: Readonly<Record<Planned, (call: PlannedCall) => Promise<void>>> = {
  start,
  send,
  publish,
};

const began = monotonic();
const lanes = [...clients.keys()];
const calls = inOrder(plan(trial, seed, load, lanes));
const made: Promise<void>[] = [];
for (const [index, call] of calls.entries()) {
  const waitMs = began + call.afterMs - monotonic();
  if (waitMs > 0) await pause(waitMs);
  if (index === Math.floor(calls.length / 5)) say("under way");
  const { verb } = call;
  made.push(MAKE[verb](call));
}
say("issued");
await Promise.all(made);
say("done");
await Promise.all([...clients.values()].map((client) => client.close()));
process.exit(0);
