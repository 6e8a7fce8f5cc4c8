/** The dashboard of a server over two shards: what it shows of both, what it refuses, and a shard that is away. */
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { beforeAll, expect, it } from "vitest";
import { FaultyNetwork } from "../helpers/faulty-network.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { createFleet } from "../helpers/fleet.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { silent } from "../helpers/silent-logger.ts";
import { openTab } from "./world.ts";

const ship = workflow({
  name: "ship-order",
  run: async (ctx, input: { tenant: string }) => {
    await ctx.step.run("pack", () => `for ${input.tenant}`);
    return ctx.step.waitForEvent("delivered");
  },
});

let server: TestServer;
let network: FaultyNetwork;
/** Ids of runs by the names of their shards. */
const runs: Record<string, string> = {};

async function setupShards(): Promise<void> {
  const { shards } = await createFleet();
  const { a = "", b = "" } = shards;
  network = await FaultyNetwork.before(b);
  const client = createWorkflowClient({ shards });
  const worker = createWorker({ shards, workflows: [ship], logger: silent });
  atFileEnd(async () => {
    await worker.stop();
    await client.close();
  });
  for (let n = 0; Object.keys(runs).length < 2; n++) {
    const tenant = `tenant-${n}`;
    const home = (await client.home(tenant)) ?? "";
    if (runs[home] !== undefined) continue;
    const run = await client.start(ship, { tenant }, { route: tenant, tags: { tenant } });
    runs[home] = run.runId;
    await client.schedules.create({ name: tenant, workflow: "ship-order", cron: "0 3 * * *" });
  }
  await client.queues.create("mail");
  for (const shard of ["a", "b"]) await client.shard(shard).queues.send("mail", { shard });
  server = await startTestServer(
    { url: "" },
    { url: undefined, shards: { a, b: network.url }, secrets: "let-me-in" },
  );
}

const REFUSED = [
  "definitions",
  "catalog",
  "approvals",
  "topics",
  "deliveries",
  "dead-letters",
  "audit",
  "fork",
];

export function describeShards(): void {
  beforeAll(setupShards);

  it("shows the runs, queues and schedules of all, acts on each, and says which pages need one shard", async () => {
    const tab = await openTab("", { url: server.url });
    await tab.shows(/ship-order/);
    await tab.shows(/Subscriptions of topics are not included over shards/);
    await tab.goTo("#/runs");
    for (const runId of Object.values(runs)) await tab.shows(new RegExp(`\\b${runId}\\b`));
    for (const runId of Object.values(runs)) {
      await tab.goTo(`#/runs/${runId}`);
      await tab.shows(/pack/);
      await tab.shows(/[Ww]aiting/);
      expect(await tab.count("main [role=alert]")).toBe(0);
      await tab.press("Pause…");
      await tab.press("Pause the run");
      await tab.shows(/paused/);
    }
    await tab.goTo("#/queues/mail");
    await tab.shows(/"shard":\s*"a"/);
    await tab.shows(/"shard":\s*"b"/);
    await tab.goTo("#/schedules");
    await tab.shows(/tenant-\d+[^]*tenant-\d+/);
    for (const page of REFUSED) {
      await tab.goTo(`#/${page}`);
      await tab.shows(/[Nn]eeds a server of one shard/);
      expect(await tab.count("main [role=alert]")).toBe(0);
    }
    expect(await tab.count(".banner")).toBe(0);
  });

  it("names a shard that is away, and shows the runs of the others", async () => {
    const tab = await openTab("#/runs", { url: server.url, isUnavailable: true });
    await tab.shows(/ship-order/);
    await network.close();
    await tab.shows(/Shard b is not ready/, ".banner");
    await tab.goTo(`#/runs/${runs["a"]}`);
    await tab.shows(/pack/);
  });
}
