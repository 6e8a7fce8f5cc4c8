/** The worker process of a system: `worker.ts <system> <address> <task as JSON>`. Ends with the process that started it. */
import { loadSystem } from "./load.ts";
import type { DrainOptions } from "./system.ts";

export type Task =
  | { readonly kind: "workflows" | "listen" }
  | ({ readonly kind: "drain" } & DrainOptions);

export type Report =
  | { readonly kind: "ready" | "message" }
  | { readonly kind: "drained"; readonly milliseconds: number }
  | { readonly kind: "failed"; readonly reason: string };

const [id = "", address = "", task = ""] = process.argv.slice(2);
const tell = (report: Report): void => void process.send?.(report);
const fail = (error: unknown): void => tell({ kind: "failed", reason: String(error) });
process.on("disconnect", () => process.exit());
// A library's output matters when it fails, so it goes to standard error.
console.log = console.error;

try {
  await work(JSON.parse(task) as Task);
} catch (error) {
  console.error(error);
  fail(error);
}

async function work(given: Task): Promise<void> {
  const { workflows, queues } = await loadSystem(id);
  switch (given.kind) {
    case "workflows": {
      await workflows?.serve(address);
      break;
    }
    case "listen": {
      await queues?.listen(address, () => tell({ kind: "message" }));
      break;
    }
    case "drain": {
      const drain = await queues?.prepareDrain(address, given);
      process.once("message", () => {
        const startedAt = performance.now();
        const drained = (): void =>
          tell({ kind: "drained", milliseconds: performance.now() - startedAt });
        drain?.().then(drained, fail);
      });
    }
  }
  tell({ kind: "ready" });
}
