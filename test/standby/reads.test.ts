/** A standby serves lists, counts and metrics; everything else goes to the database. */
import { createWorkflowClient } from "@oxbow/sdk";
import { migrate } from "@oxbow/sdk/internal/server";
import { connect, initFleet } from "@oxbow/fleet/internal";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { startServer } from "@oxbow/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { FaultyNetwork } from "../helpers/faulty-network.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { Pair } from "../helpers/standby.ts";

interface Answer {
  readonly runs: readonly unknown[];
  readonly shards: Readonly<Record<string, { readonly readAgeSeconds: number | null }>>;
}

const double = workflow({
  name: "double",
  run: (ctx, value: number) => ctx.step.run("double", () => value * 2),
});

const pair = await Pair.start({});
atFileEnd(() => pair.stop());
await pair.createDatabase("shop");
await pair.follow();
const url = pair.urlOf("shop");
const readUrl = pair.standbyUrlOf("shop");
await migrate(url);
await pair.caughtUp();

const valueOf = async (text: Promise<string>, metric: string): Promise<number | undefined> => {
  const line = (await text).split("\n").find((one) => one.startsWith(`${metric} `));
  return line === undefined ? undefined : Number(line.slice(metric.length + 1));
};

describe("with a standby", () => {
  it("of each shard, lists of a fleet come from the standbys, and their age is reported by shard", async () => {
    const names = ["a", "b"];
    for (const name of names) {
      await pair.createDatabase(name);
      await migrate(pair.urlOf(name));
    }
    await initFleet(names.map((name) => ({ name, url: pair.urlOf(name) })));
    await pair.caughtUp();
    const network = await FaultyNetwork.before(pair.standbyUrlOf("b"));
    const shards = {
      a: { url: pair.urlOf("a"), readUrl: pair.standbyUrlOf("a") },
      b: { url: pair.urlOf("b"), readUrl: network.url },
    };
    const client = createWorkflowClient({ shards });
    onTestFinished(() => client.close());
    const worker = createWorker({ shards, workflows: [double] });
    onTestFinished(() => worker.stop());
    const server = await startServer({ shards, port: 0, logger: false, sweepIntervalMs: 0 });
    onTestFinished(() => server.stop());
    const ask = async (path: string): Promise<{ status: number; body: Answer }> => {
      const response = await fetch(`${server.url}${path}`);
      return { status: response.status, body: (await response.json()) as Answer };
    };
    const listed = async (): Promise<number> =>
      (await ask("/v1/workflows/double/runs")).body.runs.length;
    const inBoth = async (): Promise<void> => {
      const runs = await Promise.all(names.map(() => client.start(double, 2)));
      expect(await Promise.all(runs.map((run) => run.result()))).toEqual([4, 4]);
    };
    const ages = async (): Promise<unknown[]> => {
      const { status, body } = await ask("/readyz");
      return [status, ...names.map((name) => body.shards[name]?.readAgeSeconds)];
    };

    await inBoth();
    await pair.caughtUp();
    expect(await listed()).toBe(2);
    expect(await ages()).toEqual([200, 0, 0]);

    await pair.onStandby("select pg_wal_replay_pause()");
    await inBoth();
    expect(await listed()).toBe(2);
    await eventually(ages, ([, a, b]) => Number(a) > 0 && Number(b) > 0);
    await pair.onStandby("select pg_wal_replay_resume()");
    await eventually(listed, 4);

    // The databases work without their standbys; lists don't.
    await network.close();
    expect(await ages()).toMatchObject([200, expect.any(Number), null]);
    expect((await ask("/v1/workflows/double/runs")).status).toBe(503);
    await inBoth();
  });

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
  it("is refused by name, if it is no url of a database", () => {
    expect(() => connect({ url, readUrl: "https://oxbow.example.com" })).toThrow(
      /Cannot read from a url that begins with "https:\/\/oxbo"/,
    );
  });

  it("is refused of clients of a server, which has its own", () => {
    expect(() => connect({ url: "https://oxbow.example.com", readUrl })).toThrow(/QUEUE_READ_URL/);
  });
});
