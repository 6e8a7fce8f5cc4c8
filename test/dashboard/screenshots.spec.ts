/** The pictures of the documentation: `OXBOW_SCREENSHOTS=1 npx vitest run test/dashboard -t pictures` makes them again. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { it } from "vitest";
import { openTab, world } from "./world.ts";

const FOLDER = fileURLToPath(new URL("../../docs/operate/dashboard", import.meta.url));
const SIZE = { width: 1_280, height: 800 };

export function describeScreenshots(): void {
  it("are made of each page", async () => {
    const { client, database } = world().bench;
    for (let n = 1; n <= 12; n += 1) {
      const tags = { customer: 100 + n };
      const run = await client.start("order", { order: n }, { tags });
      if (n % 3 > 0) await client.signal(run.runId, "shipped", {});
      if (n % 5 === 0) await client.start("flaky", { key: `pictured ${n}` }, { tags });
    }
    const waiting = await client.start("order", { order: 42 }, { tags: { customer: 142 } });
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
      await tab.settled();
      await tab.page.screenshot({ path: `${FOLDER}/${name}.webp`, type: "webp", quality: 80 });
    }
  });
}
