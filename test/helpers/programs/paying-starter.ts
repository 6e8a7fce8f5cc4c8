/**
 * Starts runs of `paying-worker.ts` at a steady rate, over the database or the shards of its environment, until it is
 * told to stop: `paying-starter.ts <name> <runs a second> [route]`. A start whose answer is lost is repeated with its key,
 * as a service would. Prints a line for each run that is acknowledged, and one for each end.
 */
import { setTimeout as delay } from "node:timers/promises";
import { ConnectionFailed, createWorkflowClient, type RunHandle } from "@oxbow/sdk";

const [name = "", perSecond = "10", route] = process.argv.slice(2);
const client = createWorkflowClient();
const over = new AbortController();
const say = (kind: string, fact: unknown): void =>
  void process.stdout.write(`${kind} ${JSON.stringify(fact)}\n`);

async function untilKnown<Value>(ask: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ConnectionFailed)) throw error;
      say("lost", error.message);
      await delay(100);
    }
  }
}

async function pay(amount: number): Promise<void> {
  try {
    await payOnce(amount);
  } catch (error) {
    say("failed", String(error));
  }
}

async function payOnce(amount: number): Promise<void> {
  const key = `${name}-${amount}`;
  const at = Date.now();
  const run: RunHandle = await untilKnown(() =>
    client.start("pay", amount, {
      idempotencyKey: route === undefined ? key : `${route}/${key}`,
      ...(route === undefined ? {} : { route }),
    }),
  );
  say("started", { runId: run.runId, at });
  const output = await untilKnown(() => run.result({ timeout: "5m" }));
  if (output !== amount + 1) throw new Error(`Run ${run.runId} returned ${String(output)}.`);
  say("ended", { runId: run.runId, at, ms: Date.now() - at });
}

async function paySteadily(): Promise<number> {
  const underWay: Promise<void>[] = [];
  for (let amount = 1; !over.signal.aborted; amount += 1) {
    underWay.push(pay(amount));
    await delay(1_000 / Number(perSecond));
  }
  await Promise.all(underWay);
  return underWay.length;
}

process.on("SIGTERM", () => over.abort());
say("done", await paySteadily());
await client.close();
