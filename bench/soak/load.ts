/** Starts runs and sends messages at a steady rate, whatever becomes of them. */
import { setTimeout as sleep } from "node:timers/promises";
import type { WorkflowClient } from "@oxbow/sdk";
import { order } from "./order.ts";

/** A FIFO queue whose messages are acknowledged immediately, next to the runs. */
export const QUEUE = "soak";

const TICK_MS = 50;
/** More than a sleep of 200 ms: most runs wait for their signal already. */
const SIGNAL_AFTER_MS = 600;
const GROUPS = 200;
/** A message of each group. */
const CONSUMED_AT_ONCE = GROUPS;
/** Starts that are overdue by more than this are left out: to make up for a stall would be another load. */
const MOST_OVERDUE_S = 1;

export class Load {
  readonly #client: WorkflowClient;
  readonly #stopping = new AbortController();
  readonly #work = new Set<Promise<void>>();
  #failure: Error | undefined;
  started = 0;
  /** Starts that were left out after stalls. */
  missed = 0;

  constructor(client: WorkflowClient) {
    this.#client = client;
  }

  /**
   * @param rate - Runs a second; as many messages are sent to the queue.
   * @param mostUnderWay - Starts wait while so many runs are under way, by `underWay`.
   */
  run(rate: number, mostUnderWay: number, underWay: () => number): void {
    const began = performance.now();
    const before = this.started;
    const { signal } = this.#stopping;
    const produce = async (): Promise<void> => {
      while (!signal.aborted) {
        const due = before + ((performance.now() - began) / 1_000) * rate;
        const overdue = due - this.missed - this.started;
        const most = rate * MOST_OVERDUE_S;
        if (overdue > most) this.missed += overdue - most;
        const count = Math.min(500, Math.floor(Math.min(overdue, most)), mostUnderWay - underWay());
        if (count > 0) await this.#startSome(count);
        else await sleep(TICK_MS);
      }
    };
    const consumer = this.#client.queues.consume(QUEUE, () => {}, {
      concurrency: CONSUMED_AT_ONCE,
    });
    signal.addEventListener("abort", () => this.#follow(consumer.stop()));
    this.#follow(produce());
  }

  /** Ends once what is under way has been sent. @throws What went wrong meanwhile. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    while (this.#work.size > 0) await Promise.all(this.#work);
    this.check();
  }

  /** @throws What went wrong: nothing is started any more. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #follow(work: Promise<unknown>): void {
    const followed = work
      .then(
        () => {},
        (error: unknown) => {
          this.#failure ??= new Error("The load failed.", { cause: error });
          this.#stopping.abort();
        },
      )
      .finally(() => void this.#work.delete(followed));
    this.#work.add(followed);
  }

  async #startSome(count: number): Promise<void> {
    const inputs = Array.from({ length: count }, (_, index) => ({
      amount: this.started + index,
    }));
    const runs = await this.#client.startBatch(
      order,
      inputs.map((input) => ({ input, retentionDays: 1 })),
    );
    this.started += count;
    const sent = inputs.map(({ amount }) =>
      this.#client.queues.sendFifo(QUEUE, { amount }, { groupId: `customer ${amount % GROUPS}` }),
    );
    this.#follow(Promise.all(sent));
    this.#follow(this.#signalSoon(runs.map(({ runId }) => runId)));
  }

  async #signalSoon(runIds: readonly string[]): Promise<void> {
    await sleep(SIGNAL_AFTER_MS);
    await Promise.all(runIds.map((runId) => this.#client.signal(runId, "paid", { by: "card" })));
  }
}
