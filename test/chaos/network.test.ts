/** Network faults: lost answers, cut, and fall silent without a word. */
import { ConnectionFailed, createWorkflowClient } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually, including, moreThan } from "../helpers/eventually.ts";
import { FaultyNetwork } from "../helpers/faulty-network.ts";
import { Latch } from "../helpers/latch.ts";
import { Ledger } from "../helpers/ledger.ts";
import { silent } from "../helpers/silent-logger.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const STEPS = 5;

async function setupLedger() {
  const database = await createDatabase();
  const network = await FaultyNetwork.before(database.url);
  const query = (text: string, values?: readonly unknown[]) => database.query(text, values);
  const ledger = new Ledger(database.url, query, network.url);
  await ledger.prepare();
  return { database, network, ledger };
}

const calledTwice = (database: TestDatabase) =>
  database.query("select run_id, step from call group by 1, 2 having count(*) > 1");

it("a commit that was carried out, and whose answer is lost, is asked for again: its worker continues, and calls nothing twice", async () => {
  const { database, network, ledger } = await setupLedger();
  // A lease that outlasts five lost answers on a busy machine.
  const worker = ledger.worker(20, "30s");
  await worker.line(/^serving/);
  network.loseAnswers(5, "workflow_commit");
  const runs = await Promise.all(Array.from({ length: 10 }, () => ledger.start({ steps: STEPS })));
  await ledger.isSound(runs, STEPS);
  expect(network.pendingLosses).toBe(0);
  expect(await calledTwice(database)).toEqual([]);
  expect(worker.output.filter((line) => line.startsWith("dropped"))).toEqual([]);
});

it("a run whose last commit is answered late has completed, though its lease is looked at meanwhile", async () => {
  const bench = await setupWorkflows();
  const network = await FaultyNetwork.before(bench.database.url);
  const prompt = workflow({ name: "prompt", run: () => Promise.resolve("done") });
  const worker = bench.serve([prompt], { url: network.url });
  const told: string[] = [];
  worker.events.on("runDropped", ({ reason }) => void told.push(reason));
  worker.events.on("runCompleted", () => void told.push("completed"));
  network.delayAnswer("workflow_commit", 2_500);
  const run = await bench.client.start(prompt, null);
  expect(await run.result()).toBe("done");
  await eventually(() => told.length, moreThan(0));
  expect(told).toEqual(["completed"]);
});

it("runs whose delivery was lost with the answer are delivered again when their leases end", async () => {
  const { database, network, ledger } = await setupLedger();
  const runs = await Promise.all(Array.from({ length: 10 }, () => ledger.start({ steps: STEPS })));
  network.loseAnswers(1, "workflow_receive");
  ledger.worker(20, "5s");
  await ledger.isSound(runs, STEPS);
  expect(network.pendingLosses).toBe(0);
  expect(await calledTwice(database)).toEqual([]);
});

it("a start whose answer is lost reports it, and with its key finds the run that it has started", async () => {
  const database = await createDatabase();
  const network = await FaultyNetwork.before(database.url);
  await using client = createWorkflowClient({ url: network.url });
  await client.start("other", {});
  network.loseAnswers(1, "workflow_start");
  const lost = client.start("doubted", {}, { idempotencyKey: "once" });
  await expect(lost).rejects.toSatisfy(
    (error) => error instanceof ConnectionFailed && error.facts["sent"] === true,
  );
  const again = await client.start("doubted", {}, { idempotencyKey: "once" });
  expect(again.created).toBe(false);
  expect(await client.runs.count({ workflow: "doubted" })).toBe(1);
});

it("connections that fall silent are given up: runs, results and notifications continue over others", async () => {
  const bench = await setupWorkflows();
  const network = await FaultyNetwork.before(bench.database.url);
  // Answers to its other connections take less, also on a busy machine.
  const through = { url: network.url, answerTimeout: "2s" } as const;
  await using client = createWorkflowClient(through);
  const released = new Latch();
  const calls: string[] = [];
  const cutOff = workflow({
    name: "cut-off",
    run: async (ctx, name: string) => {
      await ctx.step.run("call", async () => {
        calls.push(name);
        if (name === "in flight") await released.opened;
      });
      await ctx.step.sleep("nap", 50);
      return name;
    },
  });
  bench.serve([cutOff], through);
  const first = await client.start(cutOff, "in flight");
  const result = first.result({ timeout: "60s" });
  await eventually(() => calls, { length: 1 });
  const listening = (): Promise<Record<string, unknown>[]> =>
    bench.database.query(
      `select pid from pg_stat_activity
       where datname = current_database() and application_name = 'oxbow listen' and query like '%advisory%'`,
    );
  const [{ length: before }] = [await listening()];

  expect(network.fallSilent()).toBeGreaterThanOrEqual(3);
  released.open();
  const second = await bench.client.start(cutOff, "after it");
  expect(await second.result({ timeout: "60s" })).toBe("after it");
  expect(await result).toBe("in flight");
  expect(calls).toEqual(["in flight", "after it"]);
  // The database doesn't know that the old one is of no use.
  await eventually(listening, (sessions) => sessions.length > before);
  expect(await bench.violations()).toEqual([]);
});

it("a consumer whose connections fall silent gives them up: its receives and leases continue over others", async () => {
  const database = await createDatabase();
  const network = await FaultyNetwork.before(database.url);
  await using direct = createWorkflowClient({ url: database.url });
  await using client = createWorkflowClient({ url: network.url, answerTimeout: "2s" });
  await direct.queues.create("mail");
  const handled: string[] = [];
  const released = new Latch();
  client.queues.consume<string>(
    "mail",
    async ({ body }) => {
      if (body === "long") await released.opened;
      handled.push(body);
    },
    { visibilityTimeout: "15s", logger: silent },
  );
  await direct.queues.send("mail", "first");
  await eventually(() => handled, including("first"));
  await direct.queues.send("mail", "long");
  await eventually(() => direct.queues.stats("mail"), { inFlight: 1 });
  network.fallSilent();
  await direct.queues.send("mail", "second");
  await eventually(() => handled, including("second"));
  const leaseEnd = async (): Promise<number> => {
    const [row] = await database.query(
      "select extract(epoch from queue.next_visible_at('mail'))::float8 as at",
    );
    return Number(row?.["at"]);
  };
  const before = await leaseEnd();
  await eventually(leaseEnd, moreThan(before + 3));
  released.open();
  await eventually(
    () => direct.queues.stats("mail"),
    ({ visible, inFlight }) => visible + inFlight === 0,
  );
  expect(handled).toEqual(["first", "second", "long"]);
});
