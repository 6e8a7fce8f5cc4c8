/** A url with several servers leads to the one that accepts writes, before and after a failover. */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, chmodSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConnectionFailed, createWorkflowClient } from "@oxbow/sdk";
import { migrate, toProgramUrl } from "@oxbow/sdk/internal/server";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { startPostgres } from "@oxbow/sdk/testing";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { askOnce } from "../helpers/ask-once.ts";
import { debianPostgres } from "../helpers/debian-postgres.ts";
import { eventually } from "../helpers/eventually.ts";
import { FaultyNetwork } from "../helpers/faulty-network.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import {
  PayingStarter,
  preparePayments,
  requireSound,
  startPayingWorker,
} from "../helpers/payments.ts";
import { silent } from "../helpers/silent-logger.ts";
import { Pair } from "../helpers/standby.ts";

const double = workflow({
  name: "double",
  run: (ctx, value: number) => ctx.step.run("double", () => value * 2),
});

/** One url for the servers of several. */
function together(urls: readonly string[], attributes?: string): string {
  const [first = ""] = urls;
  const hosts = urls.map((url) => new URL(url).host).join(",");
  const url = first.replace(new URL(first).host, hosts);
  return attributes === undefined ? url : `${url}?target_session_attrs=${attributes}`;
}

async function startPair(): Promise<Pair> {
  const pair = await Pair.start({});
  atFileEnd(() => pair.stop());
  await pair.createDatabase("shop");
  await pair.follow();
  return pair;
}

describe("a primary and a standby", () => {
  let pair: Pair;
  let primary: string;
  let standby: string;

  beforeAll(async () => {
    pair = await startPair();
    primary = pair.urlOf("shop");
    standby = pair.standbyUrlOf("shop");
    await migrate(together([standby, primary]));
    await pair.caughtUp();
  });

  it("serve writes by the primary, wherever it is in the url", async () => {
    for (const url of [
      together([standby, primary]),
      together([primary, standby], "primary"),
      `${primary}?target_session_attrs=read-write`,
    ]) {
      await using client = createWorkflowClient({ url });
      await expect(client.start(double, 1)).resolves.toHaveProperty("runId");
    }
  });

  it("serve reads by the standby, and by the primary while there is no standby", async () => {
    const portOf = async (readUrl: string): Promise<unknown> => {
      await using client = createWorkflowClient({ url: primary, readUrl });
      await client.runs.count();
      const sessions = await Promise.all(
        [primary, standby].map((url) =>
          askOnce(url)(
            "select from pg_stat_activity where application_name = 'oxbow read' and state is not null and datname = current_database()",
          ),
        ),
      );
      return sessions.map((rows) => rows.length > 0);
    };
    expect(await portOf(together([primary, standby], "prefer-standby"))).toEqual([false, true]);
    expect(await portOf(together([primary, standby], "standby"))).toEqual([false, true]);
    expect(await portOf(`${primary}?target_session_attrs=prefer-standby`)).toEqual([true, false]);
  });

  it("are named, each with its reason, when no server fits", async () => {
    const gone = primary.replace(/:\d+\//, ":1/");
    await using client = createWorkflowClient({ url: together([gone, standby]) });
    const error: unknown = await client.start(double, 1).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ConnectionFailed);
    expect((error as Error).message).toBe(
      `Lost or could not reach database "shop" on 127.0.0.1:1, 127.0.0.1:${new URL(standby).port}: ` +
        "no server accepts writes, as target_session_attrs=read-write asks " +
        `(127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1; 127.0.0.1:${new URL(standby).port}: is a standby).`,
    );
    await using one = createWorkflowClient({ url: `${primary}?target_session_attrs=standby` });
    await expect(one.start(double, 1)).rejects.toThrow("is the primary");
  });

  it.skipIf(!debianPostgres.isInstalled)("lead programs of Postgres to the primary, too", () => {
    const answer = (url: string): string =>
      execFileSync(join(debianPostgres.binDir, "psql"), [
        "--no-psqlrc",
        "--tuples-only",
        "--no-align",
        "--command=select pg_is_in_recovery()",
        url,
      ])
        .toString()
        .trim();
    const url = together([standby, primary]);
    expect(answer(url)).toBe("t");
    expect(answer(toProgramUrl(url))).toBe("f");
  });

  it("that has the wrong password is refused immediately, as with one server", async () => {
    const wrong = together([primary, standby]).replace("postgres@", "nobody@");
    await using client = createWorkflowClient({ url: wrong });
    await expect(client.start(double, 1)).rejects.toThrow(/role "nobody" does not exist/);
  });

  it("are found past a server that accepts connections and never answers", async () => {
    const mute = createServer((socket) => void socket.resume().on("error", () => {}));
    mute.listen(0, "127.0.0.1");
    await once(mute, "listening");
    const address = mute.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const url = together([primary.replace(/:\d+\//, `:${port}/`), primary]);
    const client = createWorkflowClient({ url });
    try {
      await expect(client.start(double, 1)).resolves.toHaveProperty("runId");
    } finally {
      await client.close();
      mute.close();
    }
  });
});

it("workers, starters and listeners follow to the promoted standby, and nothing is lost or done twice", async () => {
  const pair = await startPair();
  const [primary, standby] = [pair.urlOf("shop"), pair.standbyUrlOf("shop")];
  const url = together([primary, standby], "read-write");
  await migrate(url);
  const onPrimary = askOnce(primary);
  await preparePayments(onPrimary);
  // A commit waits for the standby, so the promoted one has all that was acknowledged.
  await onPrimary("alter system set synchronous_standby_names = '*'");
  await onPrimary("select pg_reload_conf()");
  await eventually(() => onPrimary("select from pg_stat_replication where sync_state = 'sync'"), {
    length: 1,
  });
  const worker = startPayingWorker({ QUEUE_URL: url });
  const starter = new PayingStarter({ QUEUE_URL: url }, { name: "shop", perSecond: 20 });
  await eventually(
    () => starter.ended(),
    (ended) => ended.length >= 20,
  );
  await pair.failOver();
  const promotedAt = Date.now();
  await eventually(
    () => starter.ended().filter(({ at }) => at > promotedAt),
    (ended) => ended.length >= 20,
  );
  await eventually(
    () =>
      askOnce(standby)(
        "select from pg_stat_activity where application_name = 'oxbow listen' and datname = current_database()",
      ),
    (listening) => listening.length >= 2,
  );
  await starter.finish();
  await requireSound(askOnce(standby), starter.acknowledged());
  await worker.stop();
});

it("a primary whose machine is gone without a word is left for the promoted standby", async () => {
  const pair = await startPair();
  const [primary, standby] = [pair.urlOf("shop"), pair.standbyUrlOf("shop")];
  const network = await FaultyNetwork.before(primary);
  const url = together([network.url, standby]);
  await migrate(url);
  await pair.caughtUp();
  const worker = createWorker({ url, workflows: [double], logger: silent });
  const client = createWorkflowClient({ url });
  onTestFinished(async () => {
    network.clear();
    await Promise.all([worker.stop(), client.close()]);
  });
  const first = await client.start(double, 1);
  expect(await first.result()).toBe(2);
  await pair.caughtUp();
  network.change({ isParted: true });
  await pair.onStandby("select pg_promote(true, 60)");
  const run = await eventually(
    () => client.start(double, 2, { idempotencyKey: "again" }),
    () => true,
    { withinMs: 120_000 },
  );
  expect(await run.result({ timeout: "2m" })).toBe(4);
});

it("a former primary that comes back as a standby is left for the new one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "oxbow-swapped-"));
  chmodSync(folder, 0o755);
  const [one, other] = await Promise.all(
    ["one", "other"].map((name) => startPostgres({ dataDir: join(folder, name), durable: false })),
  );
  if (one === undefined || other === undefined) throw new Error("No servers.");
  atFileEnd(async () => {
    await Promise.all([one, other].map((cluster) => cluster.stop({ mode: "immediate" })));
    rmSync(folder, { recursive: true, force: true });
  });
  const urls = await Promise.all([one, other].map((cluster) => cluster.createDatabase("shop")));
  await Promise.all(urls.map((url) => migrate(url)));
  const becomeStandby = async (cluster: typeof one, name: string): Promise<void> => {
    appendFileSync(join(folder, name, "standby.signal"), "");
    await cluster.restart();
  };
  await becomeStandby(other, "other");
  await using client = createWorkflowClient({ url: together(urls) });
  const served = async (): Promise<number[]> => {
    const counts = urls.map(async (url) => {
      const [row] = await askOnce(url)("select count(*)::int as n from queue.workflow_run");
      return Number(row?.["n"]);
    });
    return Promise.all(counts);
  };
  await client.start(double, 1);
  expect(await served()).toEqual([1, 0]);

  await becomeStandby(one, "one");
  await askOnce(urls[1] ?? "")("select pg_promote(true, 60)");
  await eventually(
    () => client.start(double, 1),
    () => true,
  );
  expect(await served()).toEqual([1, 1]);
});
