/** The pictures of the documentation: `OXBOW_SCREENSHOTS=1 npx vitest run test/dashboard` makes them again. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { it } from "vitest";
import { openTab, world } from "./world.ts";

const FOLDER = fileURLToPath(new URL("../../docs/operate/dashboard", import.meta.url));
const SIZE = { width: 1_280, height: 800 };

export function describeScreenshots(): void {
  it("are made of each page", async () => {
    const { client, database } = world().bench;
    const waiting = await client.start("order", { order: 42 }, { tags: { customer: 7 } });
    await client.schedules.create({ name: "nightly", workflow: "order", cron: "0 3 * * *" });
    await database.query(
      `select queue.create_queue('pictured'), queue.send('pictured', '{"to": "ada@example.com"}')`,
    );
    mkdirSync(FOLDER, { recursive: true });
    const tab = await openTab("");
    await tab.page.setViewport(SIZE);
    const pages: readonly (readonly [string, string])[] = [
      ["overview", ""],
      ["runs", "#/runs?workflow=order"],
      ["run", `#/runs/${waiting.runId}`],
      ["queue", "#/queues/pictured"],
      ["topics", "#/topics"],
      ["schedules", "#/schedules"],
    ];
    for (const [name, address] of pages) {
      await tab.goTo(address);
      await tab.page.waitForNetworkIdle({ concurrency: 1 });
      await tab.page.screenshot({ path: `${FOLDER}/${name}.webp`, type: "webp", quality: 80 });
    }
  });
}
