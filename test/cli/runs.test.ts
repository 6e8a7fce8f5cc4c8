import { workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { documents, oxbow, oxbowOf } from "../helpers/command.ts";
import { eventually } from "../helpers/eventually.ts";
import { startTestServer, secretOf } from "../helpers/server.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

// Misspelt on purpose: faild, nosuch

const double = workflow({
  name: "double",
  run: (ctx, n: number) => ctx.step.run("multiply", () => n * 2),
});
const parent = workflow({
  name: "parent",
  run: async (ctx, n: number) => {
    await ctx.step.sleep("pause", "10ms");
    return ctx.step.invoke("child", double, n);
  },
});
const fails = workflow({
  name: "fails",
  run: (ctx) =>
    ctx.step.run(
      "boom",
      () => {
        throw new Error("no such customer");
      },
      { retry: { attempts: 1 } },
    ),
});
const waits = workflow({
  name: "waits",
  run: (ctx) => ctx.step.waitForEvent("answer", { match: { ok: true } }),
});

const hostile = workflow({
  name: "hostile",
  run: (_ctx, message: string) => {
    throw new Error(message);
  },
});

const bench = await setupWorkflows();
bench.serve([double, parent, fails, waits, hostile]);
const run = oxbowOf(bench.database.url);

it("oxbow explain prints why a run does not advance, and what to do", async () => {
  const { runId } = await bench.client.start(waits, undefined);
  const explained = await eventually(
    () => run("explain", runId),
    ({ stdout }) => stdout.includes("event"),
  );
  expect(explained.stdout).toMatch(
    /^Step "answer" waits for event "answer" with a payload that contains \{"ok": true\}\.\ncause +event\nsince[^]*remedy +Signal the run/,
  );
  expect(documents(await run("explain", runId, "--json"))).toMatchObject([
    { runId, cause: "event", until: null, details: { match: { ok: true } } },
  ]);
  expect(await run("explain", "4711")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("4711"),
  });
});

describe("oxbow start", () => {
  it("starts a run, and with --wait prints what it returned", async () => {
    expect(await run("start", "double", "21", "--wait", "20s")).toEqual({
      code: 0,
      stdout: "42",
      stderr: expect.stringMatching(/^Started run \d+ of double\.$/),
    });
  });

  it("ends with 4 when the run failed, and with 5 when it takes too long", async () => {
    const failed = run("start", "fails", "--wait", "20s");
    const late = run("start", "waits", "--wait", "300ms");
    const asJson = run("start", "fails", "--wait", "20s", "--json");
    expect(await failed).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/oxbow: Run \d+ of "fails" failed: .*no such customer\.$/),
    });
    expect(await late).toMatchObject({ code: 5, stdout: "" });
    expect(documents(await asJson)).toMatchObject([
      { workflow: "fails", status: "failed", output: null, error: { name: "StepFailed" } },
    ]);
    expect(await asJson).toMatchObject({ code: 4, stderr: "" });
  });

  it("takes key, tags, version and input from standard input, and reports a taken key", async () => {
    const args = ["start", "keyed", "-", "--key", "ada", "--version", "2", "--json"];
    const more = ["--tag", "tenant=7", "--tag", "vip:=true", "--at", "1h"];
    const env = { QUEUE_URL: bench.database.url };
    const first = documents(await oxbow([...args, ...more], { env, stdin: '{"n":1}' }));
    expect(first).toEqual([
      { runId: expect.any(String), workflow: "keyed", created: true, status: "running" },
    ]);
    const { runId } = first[0] as { runId: string };
    expect(await bench.client.runs.find(runId)).toMatchObject({
      input: { n: 1 },
      version: 2,
      tags: { tenant: "7", vip: true },
    });
    expect((await run("start", "keyed", "--key", "ada")).stdout).toBe(
      `Run ${runId} of keyed already has the key "ada"; it is running.`,
    );
    const found = await run("runs", "list", "--tag", "vip:=true", "--json");
    expect(documents(found)).toMatchObject([{ runId, idempotencyKey: "ada" }]);
  });
});

it("oxbow workflows versions lists what workers have registered, and forgets a version", async () => {
  await bench.database.query("select queue.workflow_register(array['forgettable'], array[1])");
  const registered = await run("workflows", "versions", "forgettable");
  expect(registered.stdout).toMatch(/^VERSION +REGISTERED\n1 +\d{4}-/);
  const forgotten = await run("workflows", "versions", "forgettable", "--unregister", "1");
  expect(forgotten).toMatchObject({
    stdout: "",
    stderr: expect.stringMatching(
      /^Version 1 of forgettable is no longer registered\.\nNo worker has registered forgettable/,
    ),
  });
});

it("what can't be understood ends with 2, and names the value and what to give instead", async () => {
  const asked = {
    json: run("start", "double", "{n: 1}"),
    id: run("runs", "show", "abc"),
    status: run("runs", "list", "--status", "faild"),
    since: run("runs", "list", "--since", "yesterday"),
    wait: run("start", "double", "1", "--wait", "30"),
    tag: run("start", "double", "--tag", "vip"),
    name: run("start", "no spaces"),
    option: run("runs", "list", "--nonsense"),
    command: run("nonsense"),
    none: run("runs"),
    which: run("runs", "cancel"),
    url: oxbow(["workflows", "--url", "mysql://localhost"]),
  };
  const ends = Object.fromEntries(
    await Promise.all(Object.entries(asked).map(async ([name, end]) => [name, await end] as const)),
  );
  for (const end of Object.values(ends)) expect(end).toMatchObject({ code: 2, stdout: "" });
  expect(ends["json"]?.stderr).toContain(
    'Invalid JSON for the input of workflow "double": "{n: 1}"',
  );
  expect(ends["id"]?.stderr).toContain('Invalid run id "abc"');
  expect(ends["status"]?.stderr).toContain(
    'Invalid --status "faild": give one of running, completed, failed, cancelled.',
  );
  expect(ends["since"]?.stderr).toContain('Invalid --since "yesterday": give a time like');
  expect(ends["wait"]?.stderr).toContain('Invalid duration "30" for --wait');
  expect(ends["tag"]?.stderr).toContain('Invalid --tag "vip": give key=text');
  expect(ends["name"]?.stderr).toContain("no spaces");
  expect(ends["option"]?.stderr).toContain("unknown option '--nonsense'");
  expect(ends["command"]?.stderr).toContain("unknown command 'nonsense'");
  expect(ends["none"]?.stderr).toContain("Usage: oxbow runs");
  expect(ends["which"]?.stderr).toContain("Which runs?");
  expect(ends["url"]?.stderr).toContain('begins with "mysql://loca"');
});

it("what isn't there ends with 3, and with 1 without an answer", async () => {
  const url = "postgres://127.0.0.1:1/none";
  const [show, signal, unreachable, asJson] = await Promise.all([
    run("runs", "show", "999999999"),
    run("signal", "999999999", "answer"),
    oxbow(["workflows", "--url", url]),
    run("runs", "result", "999999999", "--json"),
  ]);
  expect(show).toMatchObject({ code: 3, stdout: "" });
  expect(signal).toMatchObject({ code: 3, stdout: "" });
  expect(unreachable).toMatchObject({ code: 1, stdout: "" });
  expect(unreachable.stderr).toContain("ECONNREFUSED");
  expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code: "RUN_NOT_FOUND" } });
});

describe("oxbow runs show", () => {
  it("draws the timeline of a run, and lists the runs that it started", async () => {
    const handle = await bench.client.start(parent, 4);
    await handle.result({ timeout: "60s" });
    const { code, stdout } = await run("runs", "show", handle.runId);
    expect(code).toBe(0);
    expect(stdout).toContain(`Run ${handle.runId} of parent: completed`);
    expect(stdout).toMatch(/^STEP +KIND +CALLS +START +TOOK +0 ─+ \S+$/m);
    expect(stdout).toMatch(/^pause +sleep +\+\d+ms +\d+ms +░+$/m);
    expect(stdout).toMatch(/^child +invoke +\+\d+ms +\d+ms +░+$/m);
    expect(stdout).toMatch(/Started by its steps:\n.*\nchild +\d+ +double +completed/);
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/\u001B/);
  });

  it("shows what a run waits for, and takes the signal", async () => {
    const handle = await bench.client.start(waits, undefined);
    const buffered = await run("signal", handle.runId, "other");
    expect(buffered.stdout).toContain("doesn't wait for");
    expect((await run("runs", "show", handle.runId)).stdout).toMatch(
      /Waits in step "answer" for event "answer" that contains \{"ok":true\}, without a timeout\./,
    );
    expect((await run("signal", handle.runId, "answer", '{"ok":true}')).stdout).toBe(
      `Delivered "answer" to run ${handle.runId}.`,
    );
    expect(await run("runs", "result", handle.runId, "--wait", "20s")).toMatchObject({
      code: 0,
      stdout: '{"ok":true}',
    });
    expect(await run("signal", handle.runId, "answer")).toMatchObject({ code: 6, stdout: "" });
  });

  it("gives all of it as one document", async () => {
    const handle = await bench.client.start(parent, 1);
    await handle.result({ timeout: "60s" });
    const [shown] = documents(await run("runs", "show", handle.runId, "--json"));
    expect(shown).toMatchObject({
      runId: handle.runId,
      status: "completed",
      output: 2,
      steps: [
        { name: "pause", kind: "sleep" },
        { name: "child", kind: "invoke", output: 2 },
      ],
      children: [{ name: "double", step: "child", status: "completed" }],
    });
  });
});

it("control characters in data are escaped in every output, and stay the same for programs", async () => {
  const message = "a\u001B[2J\u001B]0;title\u0007\u009B1A\u007F\rb\tc";
  const escaped = String.raw`a\u001b[2J\u001b]0;title\u0007\u009b1A\u007f`;
  const ended = await run("start", "hostile", JSON.stringify(message), "--wait", "20s");
  expect(ended.stderr).toContain(`${escaped}\\u000db\tc`);
  const { runId } = await bench.client.start(hostile, message, { idempotencyKey: message });
  await eventually(
    () => bench.client.runs.find(runId),
    ({ status }) => status === "failed",
  );
  const outputs = [
    await run("runs", "show", runId),
    await run("runs", "list", "--workflow", "hostile"),
    await run("start", "hostile", "null", "--key", message),
    await run("runs", "show", runId, "--json"),
  ];
  // oxlint-disable-next-line no-control-regex
  const control = /[\0-\u0008\u000B-\u001F\u007F-\u009F]/;
  for (const { stdout, stderr } of [ended, ...outputs])
    expect(stdout + stderr).not.toMatch(control);
  for (const { stdout } of outputs) expect(stdout).toContain(escaped);
  expect(documents(outputs[3] ?? ended)).toMatchObject([{ input: message, error: { message } }]);
});

it("oxbow runs sum prints the sums of a value by a tag, and that no run has it", async () => {
  const counts = workflow({
    name: "counts",
    run: (ctx, calls: number) => ctx.set("usage", { calls }),
  });
  bench.serve([counts]);
  for (const [calls, tenant] of [
    [1, "a"],
    [2, "b"],
    [4, "b"],
  ] as const) {
    await (await bench.client.start(counts, calls, { tags: { tenant } })).result();
  }
  const { stdout } = await run("runs", "sum", "usage", "--workflow", "counts", "--by", "tenant");
  expect(stdout).toMatch(/^TENANT +RUNS +CALLS\nb +2 +6\na +1 +1\s*$/);
  const whole = await run("runs", "sum", "usage", "--workflow", "counts", "--json");
  expect(documents(whole)).toEqual([[{ tag: null, runs: 3, sums: { calls: 7 } }]]);
  const nothing = await run("runs", "sum", "cost", "--workflow", "counts");
  expect(nothing.stdout + nothing.stderr).toContain("No run that matches has published");
});

describe("oxbow runs list", () => {
  it("finds runs by activity, parent and error text, as the SDK does", async () => {
    const { client } = bench;
    const waiting = await client.start(waits, undefined);
    const started = await client.start(parent, 4);
    await started.result();
    const failed = await client.start(fails, undefined);
    await failed.result().catch(() => {});
    await eventually(() => client.runs.find(waiting.runId), { activity: "waiting" });
    const ids = async (...options: string[]) =>
      documents(await run("runs", "list", "--json", ...options)).map(
        (one) => (one as { runId: string }).runId,
      );
    expect(await ids("--activity", "waiting,sleeping")).toContain(waiting.runId);
    expect(await ids("--activity", "sleeping", "--workflow", "waits")).toEqual([]);
    expect(await ids("--error", "NO SUCH customer", "--limit", "1")).toEqual([failed.runId]);
    expect(await ids("--error", "no such supplier")).toEqual([]);
    const children = await ids("--parent", started.runId);
    expect(children).toHaveLength(1);
    expect(await client.runs.find(children[0] ?? "")).toMatchObject({
      name: "double",
      parent: started.runId,
    });
    expect(await client.runs.count({ parent: started.runId, activity: "ready" })).toBe(0);
    await expect(client.runs.count({ parent: "mother" })).rejects.toThrow('"mother"');
    expect(await run("runs", "list", "--activity", "dreaming")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("dreaming"),
    });
  });

  it("follows the pages up to its limit", async () => {
    const items = Array.from({ length: 1_203 }, (_, n) => ({ input: n, delay: "1h" }));
    for (let at = 0; at < items.length; at += 500) {
      await bench.client.startBatch("many", items.slice(at, at + 500));
    }
    const [all, some, table] = await Promise.all([
      run("runs", "list", "--workflow", "many", "--limit", "5000", "--json"),
      run("runs", "list", "--workflow", "many", "--limit", "1100", "--json"),
      run("runs", "list", "--workflow", "many", "--limit", "2"),
    ]);
    expect(new Set(documents(all).map((one) => (one as { runId: string }).runId)).size).toBe(1_203);
    expect(documents(some)).toHaveLength(1_100);
    expect(documents(some)[0]).toEqual(documents(all)[0]);
    expect(table.stdout.split("\n")).toHaveLength(3);
    expect(table.stdout).toMatch(/^RUN +WORKFLOW +STATUS/);
    expect(table.stderr).toContain("There are more");
  });

  it("is empty for a filter that nothing fits, without being a failure", async () => {
    expect(await run("runs", "list", "--workflow", "never", "--since", "1h")).toEqual({
      code: 0,
      stdout: "",
      stderr: "No runs match.",
    });
  });
});

describe("operating runs", () => {
  it("pauses, resumes and cancels by id, and ends with 6 when there is nothing to change", async () => {
    const { runId } = await bench.client.start("idle", null, { delay: "1h" });
    expect((await run("runs", "pause", runId, "--reason", "audit")).stdout).toBe(
      `Paused run ${runId}.`,
    );
    expect((await run("runs", "show", runId)).stdout).toContain("audit");
    expect(await run("runs", "pause", runId)).toMatchObject({ code: 6 });
    expect((await run("runs", "resume", runId)).stdout).toBe(`Resumed run ${runId}.`);
    expect((await run("runs", "cancel", runId, "--json")).stdout).toBe(
      JSON.stringify({ runId, changed: true }),
    );
    expect(await run("runs", "cancel", runId)).toEqual({
      code: 6,
      stdout: "",
      stderr: `oxbow: Run ${runId} can't be cancelled: it has ended.`,
    });
    const again = documents(await run("runs", "rerun", runId, "--json"));
    expect(again).toEqual([{ runId: expect.any(String), rerunOf: runId }]);
  });

  it("changes all that fit a filter only with --yes, without a terminal", async () => {
    const items = [1, 2, 3].map((input) => ({ input, delay: "1h" }));
    await bench.client.startBatch("bulk", items);
    expect(await run("runs", "cancel", "--workflow", "bulk")).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "oxbow: Cancel 3 runs? Not done, because there is no terminal to confirm it: add --yes.",
    });
    expect((await run("runs", "cancel", "--workflow", "bulk", "--yes")).stdout).toBe(
      "Cancelled 3 runs.",
    );
    expect((await run("runs", "cancel", "--workflow", "bulk", "--yes")).stdout).toBe(
      "Cancelled 0 runs.",
    );
    const bulk = documents(await run("workflows", "--json")).find(
      (row) => (row as { name: string }).name === "bulk",
    );
    expect(bulk).toEqual({ name: "bulk", running: 0, completed: 0, failed: 0, cancelled: 3 });
  });
});

it("a workflow that no worker has ever served is started with a warning, which programs can separate from the answer", async () => {
  const started = await run("start", "nosuch", "--json");
  expect(started).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('No worker has registered workflow "nosuch"'),
  });
  const [{ runId }] = documents(started) as [{ runId: string }];
  expect((await run("runs", "show", runId)).stderr).toMatch(/^Warning: No worker .* "nosuch"/m);
  expect((await run("start", "double", "1", "--version", "9")).stderr).toMatch(
    /No worker has registered version 9 of workflow "double", only 1\./,
  );
  expect((await run("start", "double", "1")).stderr).toBe("");
});

it("through a server does the same with a url of http and a token", async () => {
  const server = await startTestServer(bench.database, {
    secrets: "secret:admin+work+produce+read",
  });
  const env = { QUEUE_URL: server.url, QUEUE_TOKEN: secretOf("secret") };
  expect(await oxbow(["start", "parent", "5", "--wait", "20s"], { env })).toMatchObject({
    code: 0,
    stdout: "10",
  });
  const [newest] = documents(
    await oxbow(["runs", "list", "--workflow", "parent", "--limit", "1", "--json"], { env }),
  );
  const { runId } = newest as { runId: string };
  expect((await oxbow(["runs", "show", runId], { env })).stdout).toMatch(/^child +\d+ +double/m);
  expect(await oxbow(["workflows", "--token", "wrong"], { env })).toMatchObject({ code: 1 });
  expect(await oxbow(["migrate"], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("requires a direct connection to the database"),
  });
});
