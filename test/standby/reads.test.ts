/** A standby serves lists, counts and metrics; everything else goes to the database. */
import { createWorkflowClient } from "@oxbow/sdk";
import { connect, migrate } from "@oxbow/sdk/internal";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { startServer } from "@oxbow/server";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { Pair } from "../helpers/standby.ts";

const double = workflow({
  name: "double",
  run: (ctx, value: number) => ctx.step.run("double", () => value * 2),
});

let pair: Pair;
let url: string;
let readUrl: string;

beforeAll(async () => {
  pair = await Pair.start({});
  atFileEnd(async () => {
    await pair.stop();
    return [];
  });
  await pair.createDatabase("shop");
  await pair.follow();
  url = pair.urlOf("shop");
  readUrl = pair.standbyUrlOf("shop");
  await migrate(url);
  await pair.caughtUp();
});

const valueOf = async (text: Promise<string>, metric: string): Promise<number | undefined> => {
  const line = (await text).split("\n").find((one) => one.startsWith(`${metric} `));
  return line === undefined ? undefined : Number(line.slice(metric.length + 1));
};

describe("with a standby", () => {
  it("lists, counts and metrics are as old as the standby, and what concerns one run is not", async () => {
    const client = createWorkflowClient({ url, readUrl });
    onTestFinished(() => client.close());
    const worker = createWorker({ url, workflows: [double] });
    onTestFinished(() => worker.stop());
    const server = await startServer({ url, readUrl, port: 0, logger: false, sweepIntervalMs: 0 });
    onTestFinished(() => server.stop());
    const scrape = async (): Promise<string> => (await fetch(`${server.url}/metrics`)).text();
    const listed = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const { runs } of client.runs.list({ workflow: "double" })) {
        found.push(...runs.map(({ runId }) => runId));
      }
      return found;
    };

    const first = await client.start(double, 2);
    expect(await first.result()).toBe(4);
    await pair.caughtUp();
    expect(await listed()).toEqual([first.runId]);
    expect(await client.runs.count({ workflow: "double" })).toBe(1);
    expect(await valueOf(scrape(), "oxbow_read_age_seconds")).toBe(0);

    await pair.sever();
    const second = await client.start(double, 3);
    expect(await second.result()).toBe(6);
    expect(await second.status()).toMatchObject({ status: "completed" });
    expect(await listed()).toEqual([first.runId]);
    expect(await client.runs.steps(second.runId)).toMatchObject([{ name: "double", output: 6 }]);
    await eventually(
      () => valueOf(scrape(), "oxbow_read_age_seconds"),
      (age) => age !== undefined && age > 0,
    );
  });
});

describe("a url to read from", () => {
  it("is refused by name, if it is none of a database", () => {
    expect(() => connect({ url, readUrl: "https://oxbow.example.com" })).toThrow(
      /Cannot read from a url that begins with "https:\/\/oxbo"/,
    );
  });

  it("is refused of clients of a server, which has its own", () => {
    expect(() => connect({ url: "https://oxbow.example.com", readUrl })).toThrow(/QUEUE_READ_URL/);
  });
});
