/** Names as people write them, straight to the database and through a server. */
import { createWorkflowClient, InvalidName } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { atFileEnd } from "../helpers/file-end.ts";
import { startTestServer } from "../helpers/server.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const LONGEST = "👋".repeat(256);
const ODD = ["fetch-New York", "mail: ada@example.com / 50% off?", `"quoted" & 'single'`, LONGEST];

const named = workflow({
  name: "named",
  run: async (ctx) => {
    for (const name of ODD) {
      const step = await ctx.step.run(name, () => `did ${name}`);
      ctx.set(name, step);
      await ctx.step.waitForEvent(`wait: ${name}`.slice(0, 100), { event: name } as never);
    }
    return "done";
  },
});

describe.each(["direct", "through a server"])("names with spaces and punctuation, %s", (way) => {
  it("serve for steps, events, keys and schedules", async () => {
    const bench = await setupWorkflows();
    bench.serve([named]);
    const { url } = way === "direct" ? bench.database : await startTestServer(bench.database);
    const client = createWorkflowClient({ url });
    atFileEnd(() => client.close());
    const run = await client.start(named, undefined);
    for (const name of ODD) {
      expect(await client.signal(run.runId, name, { of: name })).not.toBe("ignored");
      await client.schedules.create({ name, workflow: "named", every: "1h" });
      expect(await client.schedules.pause(name)).toBe(true);
    }
    expect(await run.result({ timeout: "60s" })).toBe("done");
    const steps = await client.runs.steps(run.runId);
    expect(steps.map(({ name }) => name)).toEqual(expect.arrayContaining(ODD));
    expect(Object.keys(await run.state()).toSorted()).toEqual(ODD.toSorted());
    expect((await client.schedules.list()).map(({ name }) => name).toSorted()).toEqual(
      ODD.toSorted(),
    );
    for (const name of ODD) expect(await client.schedules.delete(name)).toBe(true);
    const again = await client.runs.rerun(run.runId, { fromStep: LONGEST });
    expect((await client.runs.find(again.runId)).rerunOf).toBe(run.runId);
    await expect(client.signal(run.runId, `${LONGEST}!`)).rejects.toThrow(InvalidName);
  });
});

it("the database has the same rule for them", async () => {
  const { database, client } = await setupWorkflows();
  const { runId } = await client.start("named", undefined);
  const signal = (name: string): Promise<unknown> =>
    database.query("select queue.workflow_signal($1, $2)", [runId, name]);
  for (const name of ODD) await signal(name);
  for (const name of ["", " a", "a ", "a\tb", "\u009B", `${LONGEST}!`]) {
    await expect(signal(name)).rejects.toMatchObject({ code: "OX003" });
  }
});
