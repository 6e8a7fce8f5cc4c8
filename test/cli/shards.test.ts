import { spawnSync } from "node:child_process";
import { createWorkflowClient } from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { documents, OXBOW, oxbow } from "../helpers/command.ts";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { createFleet, pairsOf, queryAll } from "../helpers/fleet.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

describe("oxbow shards", () => {
  it("makes a fleet of a database with runs and an empty one, and shows it", async () => {
    const [first, second] = [await createDatabase(), await createDatabase({ empty: true })];
    const key = { idempotencyKey: "kept" };
    await using alone = createWorkflowClient({ url: first.url });
    const before = await alone.start("greet", {}, key);

    const shards = [`a=${first.url}`, `b=${second.url}`];
    const made = await oxbow(["shards", "init", ...shards, "--json"]);
    expect(made.code).toBe(0);
    expect(documents(made)).toMatchObject([{ joined: ["a", "b"], keptSlots: 1 }]);
    const again = await oxbow(["shards", "init", ...shards]);
    expect(again).toMatchObject({ code: 0, stderr: "All of them were in the fleet already." });
    const status = await oxbow(["shards", "status", ...shards, "--json"]);
    expect(documents(status)).toEqual([
      [
        { name: "a", state: "joined", slots: 512, pins: 0, blocks: [0], isDraining: false },
        { name: "b", state: "joined", slots: 512, pins: 0, blocks: [1], isDraining: false },
      ],
    ]);

    await using client = createWorkflowClient({ shards: { a: first.url, b: second.url } });
    const found = await client.start("greet", {}, key);
    expect(found).toMatchObject({ runId: before.runId, created: false });
  });

  it("refuses a second shard with runs, before it changes anything", async () => {
    const [first, second] = [await createDatabase(), await createDatabase()];
    await using alone = createWorkflowClient({ url: second.url });
    await alone.start("greet");
    const shards = [`a=${first.url}`, `b=${second.url}`];
    const refused = await oxbow(["shards", "init", ...shards]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('shard "b" has runs or messages');
    const status = await oxbow(["shards", "status", ...shards]);
    expect(status.code).toBe(1);
    expect(status.stdout.match(/alone/g)).toHaveLength(2);
  });

  it("refuses another set of shards, names that can't be, and no shards", async () => {
    const [first, second] = [await createDatabase(), await createDatabase()];
    expect((await oxbow(["shards", "init", `a=${first.url}`])).code).toBe(0);
    const more = await oxbow(["shards", "init", `a=${first.url}`, `b=${second.url}`]);
    expect(more.stderr).toContain("`oxbow shards add` adds one");
    expect((await oxbow(["shards", "init", `A=${first.url}`])).stderr).toContain(
      'Invalid name "A"',
    );
    expect((await oxbow(["shards", "status"])).stderr).toContain("QUEUE_SHARDS");
    expect((await oxbow(["shards", "status", "b"])).stderr).toContain('Invalid shard "b"');
  });
});

describe("a shard that was restored", () => {
  it("is held until it is released as live, and is the same shard again", async () => {
    const { shards, databases } = await createFleet();
    const given = pairsOf(shards);
    await using client = createWorkflowClient({ shards });
    const { runId } = await client.shard("b").start("greet");
    await databases.b.query("select queue.hold_incarnation('restored')");
    const seen = await oxbow(["shards", "status", ...given]);
    expect(seen.code).toBe(1);
    expect(seen.stdout).toMatch(/^b +held/m);
    expect(seen.stderr).toContain("oxbow fork release --as live");

    const released = await oxbow(["fork", "release", "--as", "live", "--url", shards["b"] ?? ""]);
    expect(released.code).toBe(0);
    expect((await oxbow(["shards", "status", ...given])).code).toBe(0);
    await using again = createWorkflowClient({ shards });
    expect(await again.runs.find(runId)).toMatchObject({ runId });
  });

  it("leaves the fleet as a sandbox, which a client notices before it changes anything", async () => {
    const { shards, databases } = await createFleet();
    const given = pairsOf(shards);
    await databases.b.query("select queue.hold_incarnation('copied')");
    const release = ["fork", "release", "--as", "sandbox", "--url", shards["b"] ?? ""];
    expect((await oxbow(release)).code).toBe(0);
    const seen = await oxbow(["shards", "status", ...given]);
    expect(seen.stdout).toMatch(/^b +alone/m);
    expect(seen.stderr).toContain("oxbow shards init");
    await using client = createWorkflowClient({ shards });
    await expect(client.runs.count()).rejects.toThrow("is no shard of a fleet");
  });
});

it("oxbow doctor of a fleet examines each shard, the map and the clocks", async () => {
  const { shards, databases } = await createFleet();
  const env = { QUEUE_SHARDS: `a=${shards["a"]} b=${shards["b"]}` };
  const findings = documents(await oxbow(["doctor", "--json"], { env })) as {
    level: string;
    text: string;
  }[];
  const texts = findings.map(({ text }) => text);
  for (const text of [
    'Shard "a": PostgreSQL',
    'Shard "b": PostgreSQL',
    "All 2 shards have the same map.",
    "The clocks of the shards agree within a second.",
  ]) {
    expect(texts).toContainEqual(expect.stringContaining(text));
  }

  await databases.b.query("update queue.fleet set epoch = 2");
  const behind = await oxbow(["doctor"], { env });
  expect(behind.code).toBe(1);
  expect(behind.stdout).toContain(`Shard "a" doesn't know where all routes are at home`);
  await databases.a.query("update queue.fleet set fleet_id = gen_random_uuid()");
  const gone = `${shards["a"]}_gone`;
  const differs = await oxbow(["doctor"], { env });
  expect(differs.code).toBe(1);
  expect(differs.stdout).toContain('Shard "a" has another map');
  const away = await oxbow(["doctor"], {
    env: { QUEUE_SHARDS: `a=${shards["a"]} b=${gone}` },
  });
  expect(away.code).toBe(1);
  expect(away.stdout).toContain('Shard "b" can\'t be examined');
  expect(away.stdout).toContain('Shard "a": PostgreSQL');
});

it("oxbow definitions names why it can't use the shards of QUEUE_SHARDS", async () => {
  const { shards } = await createFleet();
  const env = { QUEUE_SHARDS: `a=${shards["a"]} b=${shards["b"]}` };
  const listed = await oxbow(["definitions", "list"], { env });
  expect(listed).toMatchObject({ code: 6, stderr: expect.stringContaining("client of one shard") });
});

describe("oxbow shards move", () => {
  it("moves a route with its runs, pins one, and moves slots", async () => {
    const { shards } = await createFleet();
    const env = { QUEUE_SHARDS: `a=${shards["a"]} b=${shards["b"]}` };
    await using client = createWorkflowClient({ shards });
    const home = (await client.home("acme")) ?? "";
    const other = home === "a" ? "b" : "a";
    const key = { route: "acme", idempotencyKey: "acme/1" };
    const { runId } = await client.start("greet", {}, key);
    const pinned = await oxbow(["shards", "pin", "acme", "--to", other], { env });
    expect(pinned).toMatchObject({ code: 0, stderr: `Route "acme" is at home in "${other}".` });
    expect((await oxbow(["shards", "status"], { env })).stdout).toMatch(
      new RegExp(`^${other} +joined +512/1024 +1 `, "m"),
    );
    expect(await client.start("greet", {}, key)).toMatchObject({ runId, created: false });
    const moved = await oxbow(["shards", "move", "--route", "acme", "--to", other], { env });
    expect(moved).toMatchObject({
      code: 0,
      stderr: `Route "acme" is at home in "${other}".\nRuns that have moved: 1; that wait for their workers: 0; that stay: 0.`,
    });
    expect(await client.start("greet", {}, key)).toMatchObject({ runId, created: false });
    expect(await client.shard(other).runs.find(runId)).toMatchObject({ runId });
    expect(await client.home("acme")).toBe(other);

    expect((await oxbow(["shards", "move", "--slots", "0-1023", "--to", home], { env })).code).toBe(
      0,
    );
    const status = await oxbow(["shards", "status", "--json"], { env });
    expect(documents(status)).toMatchObject([
      expect.arrayContaining([
        expect.objectContaining({ name: home, state: "joined", slots: 1024, pins: 0 }),
        expect.objectContaining({ name: other, state: "joined", slots: 0, pins: 1 }),
      ]),
    ]);
  });

  it("refuses runs that can't move, before anything moves, and what it can't understand", async () => {
    const { shards, databases } = await createFleet();
    const env = { QUEUE_SHARDS: `a=${shards["a"]} b=${shards["b"]}` };
    await using client = createWorkflowClient({ shards });
    const home = (await client.home("acme")) ?? "";
    const to = ["--to", home === "a" ? "b" : "a"];
    const { runId } = await client.start("limited", {}, { route: "acme" });
    await databases[home]?.query(
      `select queue.workflow_set_flow_control('limited', '{"concurrency": 1}')`,
    );
    const refused = await oxbow(["shards", "move", "--route", "acme", ...to], { env });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(
      `nothing has moved: run ${runId} of shard "${home}": its workflow has flow control`,
    );
    expect(await client.home("acme")).toBe(home);
    for (const [args, message] of [
      [["--slots", "0-1024"], 'Invalid slots "0-1024"'],
      [["--slots", "9-3"], 'Invalid slots "9-3"'],
      [["--route", "acme", "--run", "1"], "Give one of --run, --route and --slots"],
      [["--route", "a/b"], 'Invalid route "a/b"'],
    ] as const) {
      const { code, stderr } = await oxbow(["shards", "move", ...args, ...to], { env });
      expect({ code, stderr }).toMatchObject({ stderr: expect.stringContaining(message) });
      expect(code).not.toBe(0);
    }
    const unknown = await oxbow(["shards", "pin", "acme", "--to", "c"], { env });
    expect(unknown.stderr).toContain('There is no shard "c"');
  });
});

it("oxbow shards outbox shows what waits and what was rejected, which the doctor finds, and repeats it", async () => {
  const { shards, databases } = await createFleet();
  const env = { QUEUE_SHARDS: `a=${shards["a"]} b=${shards["b"]}` };
  const empty = await oxbow(["shards", "outbox"], { env });
  expect(empty).toMatchObject({ code: 0 });
  expect(empty.stdout).toMatch(/^a +b +0 +0s +0$/m);

  await databases.a.query(
    `insert into queue.outbox (created_at, target, kind, problem, body) values
         (now() - interval '2 minutes', 1, 'signal', null, '{}'),
         (now(), 1, 'signal', 'no such thing', '{}')`,
  );
  const seen = await oxbow(["shards", "outbox"], { env });
  expect(seen.code).toBe(1);
  expect(seen.stdout).toMatch(/^a +b +1 +1[23]\ds +1$/m);
  expect(seen.stderr).toMatch(/Item \d+ from "a" to "b", signal: no such thing/);
  const examined = await oxbow(["doctor"], { env });
  expect(examined.code).toBe(1);
  expect(examined.stdout).toContain('1 items wait in shard "a" for "b"');
  expect(examined.stdout).toContain('Shard "b" has rejected 1 items of "a"');

  const repeated = await oxbow(["shards", "outbox", "--repeat", "--json"], { env });
  expect(repeated).toMatchObject({ code: 0, stderr: "Items that are sent again: 1." });
  expect(documents(repeated)).toMatchObject([
    [{ name: "a", lags: [{ shard: "b", items: 2, rejected: 0 }] }, { name: "b" }],
  ]);
});

const pidIn = (line: string): number => Number(/\d+/.exec(line)?.[0]);

/** One that nothing waits for any more, as it may be in a container, has ended. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return /^[^Z]/.test(stdout);
}

describe("oxbow shards checkpoint", () => {
  it("releases the relays when it is killed, and refuses what would be no checkpoint", async () => {
    const { shards, databases } = await createFleet();
    const given = pairsOf(shards);
    const env = { QUEUE_SHARDS: given.join(" ") };
    const some = await oxbow(["shards", "checkpoint", ...given.slice(0, 1)], { env });
    expect(some.code).not.toBe(0);
    expect(some.stderr).toContain('The fleet has more shards, "b"');
    expect((await oxbow(["shards", "checkpoint", "--name", "a b"], { env })).stderr).toContain(
      'Invalid name "a b"',
    );
    const failed = await oxbow(["shards", "checkpoint", "--run", "exit 3", "--json"], { env });
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toContain("ended with 3");
    const made = await oxbow(
      ["shards", "checkpoint", "--name", "n1", "--run", "echo made $OXBOW_CHECKPOINT", "--json"],
      { env },
    );
    expect(documents(made)).toEqual([{ name: "n1", shards: [{ shard: "a" }, { shard: "b" }] }]);

    const twice = ["shards", "checkpoint", "--by-time", "--name", "n2"];
    expect((await oxbow(twice, { env })).stderr).toContain("a time has no name");

    const held =
      "select from pg_locks where relation = 'queue.accepted'::regclass and mode = 'ShareRowExclusiveLock' and database = (select oid from pg_database where datname = current_database())";
    const holds = async (): Promise<number> =>
      (await queryAll(Object.values(databases))(held)).length;
    const command = startWorkerProcess(OXBOW, {
      args: ["shards", "checkpoint", ...given, "--run", "echo holding $$; exec sleep 600"],
    });
    const pid = pidIn(await command.line(/holding \d/));
    expect(await holds()).toBe(2);
    await command.kill();
    await eventually(holds, 0, { withinMs: 10_000 });
    // A command that is killed kills nothing.
    process.kill(pid, "SIGKILL");
  });

  it("kills what it has started when it is stopped", async () => {
    const { shards } = await createFleet();
    const given = pairsOf(shards);
    const command = startWorkerProcess(OXBOW, {
      args: ["shards", "checkpoint", ...given, "--run", "sleep 600 & echo holding $!; wait"],
    });
    const pid = pidIn(await command.line(/holding \d/));
    expect(isRunning(pid)).toBe(true);
    expect(await command.stop()).toEqual({ code: 1, signal: null });
    expect(command.output.join("\n")).toContain("was killed because of SIGTERM");
    expect(command.output.join("\n")).toContain("There is no checkpoint");
    await eventually(
      () => isRunning(pid),
      (runs) => !runs,
    );
  });

  it("says which right a user lacks, and needs no right for a checkpoint by time", async () => {
    const { shards, databases } = await createFleet();
    const role = `keeper_${databases.a.name}`;
    await databases.a.query(`create role ${role} login in role oxbow_admin`);
    atFileEnd(() => databases.a.query(`drop role ${role}`));
    const env = {
      QUEUE_SHARDS: Object.entries(shards)
        .map(([name, url]) => `${name}=${url.replace("//postgres@", `//${role}@`)}`)
        .join(" "),
    };
    const refused = await oxbow(["shards", "checkpoint"], { env });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("grant execute on function pg_create_restore_point(text)");
    expect(refused.stderr).toContain("There is no checkpoint");
    const timed = await oxbow(["shards", "checkpoint", "--by-time"], { env });
    expect(timed).toMatchObject({ code: 0, stderr: expect.stringContaining("were held for") });
    expect(timed.stdout).toMatch(/^b +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00$/m);
  });
});

it("lets other commands use the shards of QUEUE_SHARDS", async () => {
  const { shards } = await createFleet();
  const env = { QUEUE_SHARDS: `a=${shards["a"]} b=${shards["b"]}` };
  for (let n = 0; n < 4; n++) expect((await oxbow(["start", "greet"], { env })).code).toBe(0);
  const listed = documents(await oxbow(["runs", "list", "--json"], { env }));
  expect(listed).toHaveLength(4);
});
