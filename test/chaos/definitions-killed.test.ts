/** A worker of definitions that is killed in a node: another worker of the pool continues the run. */
import { definitionTools } from "@oxbow/declared";
import { startServer } from "@oxbow/server";
import { expect, it } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { createDatabase } from "../helpers/database.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const PROGRAM = new URL("../helpers/programs/definitions-worker.ts", import.meta.url);

const documentOf = (name: string) => ({
  format: 1,
  name,
  settings: { pool: name },
  nodes: {
    first: { type: "task@1", params: {} },
    second: { type: "task@1", params: { holds: true } },
    done: { type: "end@1", params: { output: { $path: "nodes.second.output" } } },
  },
  edges: [
    { from: "first", to: "second" },
    { from: "second", to: "done" },
  ],
});

it.each(["straight", "remote"])(
  "a killed worker's runs continue where they were, %s",
  async (name) => {
    const database = await createDatabase();
    let { url } = database;
    if (name === "remote") {
      const server = await startServer({ url, port: 0, sweepIntervalMs: 0 });
      atFileEnd(() => server.stop());
      ({ url } = server);
    }
    const client = createCheckedClient({ url, tools: definitionTools() });
    atFileEnd(() => client.close());
    const definitions = definitionsOf(client);
    await definitions.publish(name, await definitions.create(documentOf(name)));
    const first = startWorkerProcess(PROGRAM, { args: [url, name, "first"] });
    await first.line(/^serving/);
    const run = await definitions.start(name);
    await first.line(new RegExp(`^call ${run.runId}:second`));
    // Another version changes nothing for the run.
    const next = {
      ...documentOf(name),
      nodes: { done: { type: "end@1", params: { output: 2 } } },
      edges: [],
    };
    await definitions.publish(name, await definitions.save(next, 1));
    await first.kill();

    const second = startWorkerProcess(PROGRAM, { args: [url, name, "second", "30s"] });
    expect(await run.result({ timeout: "60s" })).toBe("done");
    expect(second.output.filter((line) => line.startsWith("call"))).toEqual([
      expect.stringMatching(new RegExp(`^call ${run.runId}:second`)),
    ]);
    expect(await (await definitions.start(name)).result({ timeout: "60s" })).toBe(2);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  },
);
