import { createHmac, randomBytes } from "node:crypto";
import { createDefinitions, defineResource, definitionTools } from "@oxbow/declared";
import { createWorkflowClient } from "@oxbow/sdk";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { oxbowOf } from "../helpers/command.ts";
import { createDatabase } from "../helpers/database.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { type Answer, secretOf, startTestServer } from "../helpers/server.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const database = await createDatabase();
// Before the sessions of the server begin.
await database.query(
  "do $$ begin execute format('alter database %I set track_functions = ''all''', current_database()); end $$",
);
const deliveries = { senders: 0, secrets: ["s".repeat(32)] };
const secrets = "author:define, publisher:publish, reader:read";
const server = await startTestServer(database, { secrets, deliveries });
const client = createCheckedClient({ url: database.url, tools: definitionTools() });

afterAll(() => client.close());

interface Hook {
  readonly name: string;
  readonly pool: string;
  readonly path: string;
  readonly secret: string;
}

/** Publishes a definition with a webhook trigger, whose output is its input. */
async function publish(trigger: object = {}, settings: object = {}): Promise<Hook> {
  const name = newDefinitionName();
  const pool = `p-${randomBytes(6).toString("hex")}`;
  const document = {
    format: 1,
    name,
    triggers: { hook: { on: "webhook", ...trigger } },
    nodes: { done: { type: "end@1", params: { output: { $path: "input" } } } },
    settings: { pool, ...settings },
  };
  await definitionsOf(client).publish(name, await definitionsOf(client).create(document));
  const { body } = await server.request("GET", `/v1/definitions/${name}/hooks`, {
    token: "publisher",
  });
  const [hook] = body.hooks as readonly { readonly path: string; readonly secrets: string[] }[];
  const [secret = ""] = hook?.secrets ?? [];
  return { name, pool, path: hook?.path ?? "", secret };
}

const post = async (
  { path }: Hook,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
): Promise<Omit<Answer, "headers">> => {
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  });
  return { status: response.status, body: await response.json() };
};

/** As Standard Webhooks sign. */
function signed(
  { secret }: Hook,
  body: string | Uint8Array,
  { id = randomBytes(8).toString("hex"), at = Date.now() }: { id?: string; at?: number } = {},
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const signature = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,AAAA v1,${signature}`,
  };
}

function serve(pool: string): void {
  const gate = defineResource({
    type: "Gate",
    schema: {},
    get: (ids) => Promise.resolve(Object.fromEntries(ids.map((id) => [id, { open: true }]))),
  });
  const worker = createDefinitions({ pool, resources: [gate] }).serve({
    url: database.url,
    logger: false,
  });
  onTestFinished(() => worker.stop());
}

async function outputs(name: string, count: number): Promise<unknown[]> {
  return eventually(
    async () => {
      const found: unknown[] = [];
      for await (const { runs } of client.runs.list({ workflow: name }, { withValues: true })) {
        found.push(...runs.filter(({ status }) => status === "completed").map((run) => run.output));
      }
      return found;
    },
    (found) => found.length >= count,
  );
}

describe("a webhook trigger", () => {
  it("starts a run of a delivery that its guard accepts, once, and explains the others", async () => {
    const hook = await publish({
      when: "event.body.total > 100 && event.headers['x-source'] == 'shop'",
      input: { $path: "event.body" },
    });
    serve(hook.pool);
    const body = JSON.stringify({ total: 200, text: "€" });
    const headers = { ...signed(hook, body, { id: "d1" }), "x-source": "shop" };
    const first = await post(hook, body, headers);
    expect(first).toEqual({
      status: 202,
      body: { eventId: expect.any(String) as string, isNew: true },
    });
    expect(await post(hook, body, headers)).toEqual({
      status: 202,
      body: { ...first.body, isNew: false },
    });
    const small = JSON.stringify({ total: 1 });
    const { body: other } = await post(hook, small, { ...signed(hook, small), "x-source": "shop" });
    expect(await outputs(hook.name, 1)).toEqual([{ total: 200, text: "€" }]);
    const explained = await eventually(
      () =>
        definitionsOf(client)
          .explain(hook.name, other.eventId)
          .catch(() => null),
      (found) => found !== null,
    );
    expect(explained?.triggers).toMatchObject([
      { verdict: "guard", reason: "The guard is false: event.body.total > 100" },
    ]);
    const started = await definitionsOf(client).explain(hook.name, first.body.eventId);
    expect(started.triggers).toMatchObject([{ verdict: "started" }]);
    expect(await outputs(hook.name, 1)).toHaveLength(1);
  });

  it("takes the signatures of GitHub, and tokens", async () => {
    const github = await publish({ verify: "github" });
    const body = '{"action": "opened"}';
    const hex = createHmac("sha256", github.secret).update(body).digest("hex");
    const given = { "x-hub-signature-256": `sha256=${hex}`, "x-github-delivery": "g1" };
    expect((await post(github, body, given)).status).toBe(202);
    expect((await post(github, body, given)).body.isNew).toBe(false);
    expect((await post(github, `${body} `, given)).status).toBe(401);
    // Nothing but the body is signed: the id may be anyone's.
    const replayed = await post(github, body, { ...given, "x-github-delivery": "g2" });
    expect(replayed).toMatchObject({ status: 202, body: { isNew: false } });
    expect((await post(github, body, { "x-hub-signature-256": `sha256=${hex}` })).body).toEqual(
      replayed.body,
    );
    const each = await publish({ verify: "github", identical: "each" });
    const sign = createHmac("sha256", each.secret).update(body).digest("hex");
    const deliver = async (id: string): Promise<boolean> => {
      const headers = { "x-hub-signature-256": `sha256=${sign}`, "x-github-delivery": id };
      return (await post(each, body, headers)).body.isNew as boolean;
    };
    expect([await deliver("g1"), await deliver("g2"), await deliver("g1")]).toEqual([
      true,
      true,
      false,
    ]);
    const token = await publish({ verify: "token" });
    const bearer = { authorization: `Bearer ${token.secret}`, "idempotency-key": "t1" };
    expect((await post(token, body, bearer)).body.isNew).toBe(true);
    expect((await post(token, body, bearer)).body.isNew).toBe(false);
    expect((await post(token, body, { authorization: "Bearer wrong" })).status).toBe(401);
  });

  it("refuses what is not signed by its secret, too old, too large, or not read as it was sent", async () => {
    const [hook, other] = [await publish(), await publish()];
    const body = '{"a": 1}';
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const latin = new Uint8Array(Buffer.from('{"name": "Zoë"}', "latin1"));
    const old = Date.now() - 301_000;
    const refusals: readonly (readonly [
      string | typeof latin,
      Record<string, string>,
      number,
      string,
    ])[] = [
      [body, {}, 401, "HOOK_NOT_VERIFIED"],
      [body, signed(other, body), 401, "HOOK_NOT_VERIFIED"],
      ['{"a": 2}', signed(hook, body), 401, "HOOK_NOT_VERIFIED"],
      [body, signed(hook, body, { at: old }), 401, "HOOK_NOT_VERIFIED"],
      [body, { authorization: `Bearer ${hook.secret}` }, 401, "HOOK_NOT_VERIFIED"],
      [body, signed(hook, body, { id: "x".repeat(257) }), 401, "HOOK_NOT_VERIFIED"],
      ["{", signed(hook, "{"), 400, "INVALID_JSON"],
      [deep, signed(hook, deep), 400, "SERIALIZATION_FAILED"],
      ["[1e999]", signed(hook, "[1e999]"), 400, "INVALID_REQUEST"],
      ['{"id":9007199254740993}', signed(hook, '{"id":9007199254740993}'), 400, "INVALID_REQUEST"],
      [latin, signed(hook, latin), 400, "INVALID_JSON"],
    ];
    for (const [given, headers, status, code] of refusals) {
      expect(await post(hook, given, headers)).toMatchObject({ status, body: { code } });
    }
    // Longer as the text of jsonb.
    const most = `[${"1,".repeat(524_286)}1]`;
    expect((await post(other, most, signed(other, most))).status).toBe(202);
    const large = JSON.stringify("x".repeat(1024 * 1024));
    expect((await post(hook, large, signed(hook, large))).status).toBe(413);
    const form = { ...signed(hook, "a=1"), "content-type": "application/x-www-form-urlencoded" };
    expect((await post(hook, "a=1", form)).status).toBe(415);
    const unknown = { ...hook, path: `/v1/hooks/${"0".repeat(32)}` };
    expect(await post(unknown, body, signed(hook, body))).toMatchObject({
      status: 401,
      body: { code: "HOOK_NOT_VERIFIED" },
    });
    expect(await definitionsOf(client).events({ definition: hook.name })).toEqual([]);
    await definitionsOf(client).archive(hook.name);
    expect(await post(hook, body, signed(hook, body))).toMatchObject({
      status: 404,
      body: { code: "HOOK_NOT_FOUND" },
    });
  });

  it("shows its secret only to publishers, and keeps no secret of a delivery", async () => {
    const hook = await publish({ verify: "token", when: "false" });
    for (const token of ["reader", "author"]) {
      const { status } = await server.request("GET", `/v1/definitions/${hook.name}/hooks`, {
        token,
      });
      expect(status).toBe(403);
    }
    serve(hook.pool);
    const headers = {
      authorization: `Bearer ${hook.secret}`,
      "x-api-key": "hidden-1",
      "x-shop-token": "hidden-2",
      "x-hub-signature-256": "hidden-3",
      cookie: "hidden-4",
      "x-goog-iap-jwt-assertion": "hidden-5",
      "x-session-id": "hidden-6",
      "x-shop": "seen",
    };
    await post(hook, "1", headers);
    const answer = await eventually(
      () =>
        server.request("GET", `/v1/trigger-events?definition=${hook.name}`, { token: "reader" }),
      ({ body }) => body.events.length > 0,
    );
    expect(answer.body.events[0].message).toEqual({
      body: 1,
      headers: { "x-shop": "seen" },
      delivery_id: null,
    });
    const shown = JSON.stringify([
      answer.body,
      (await server.request("GET", `/v1/definitions/${hook.name}`, { token: "reader" })).body,
    ]);
    expect(shown).not.toMatch(/hidden|whsec_/);
  });

  it("takes its first delivery after a flood of forged ones, which cost no query", async () => {
    const hook = await publish();
    const body = "1";
    const queries = async (): Promise<number> => {
      const [row] = await database.query<{ calls: string }>(
        "select calls::text from pg_stat_user_functions where schemaname = 'queue' and funcname = 'trigger_hooks'",
      );
      return Number(row?.calls ?? 0);
    };
    const before = await queries();
    const forgeries = [
      {},
      signed(hook, body),
      { authorization: `Bearer ${hook.secret}` },
      { "x-hub-signature-256": `sha256=${"0".repeat(64)}` },
    ];
    for (let n = 0; n < 240; n += 40) {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) => {
          const path = `/v1/hooks/${randomBytes(16).toString("hex")}`;
          return post({ ...hook, path }, body, forgeries[i % forgeries.length] ?? {});
        }),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    }
    for (let n = 0; n < 20; n += 1) {
      expect((await post(hook, body, signed(hook, body))).status).toBe(202);
    }
    // Sessions report what they have called when they are idle; calls of the tests before may be among them.
    const counted = await eventually(queries, (calls) => calls - before >= 20);
    expect(counted).toBeLessThan(before + 20 + 100);
  });

  it("lists its address for people, with its secret only over HTTP", async () => {
    const hook = await publish({ verify: "github" });
    const listed = { trigger: "hook", path: hook.path, verify: "github" };
    expect(await definitionsOf(client).hooks(hook.name)).toEqual([{ ...listed, secrets: [] }]);
    const remote = createWorkflowClient({ url: server.url, token: secretOf("publisher") });
    onTestFinished(() => remote.close());
    expect(await definitionsOf(remote).hooks(hook.name)).toEqual([
      { ...listed, secrets: [hook.secret] },
    ]);
    expect(await definitionsOf(remote).hooks(newDefinitionName())).toEqual([]);
    const run = (...args: string[]) =>
      oxbowOf(server.url)(
        "definitions",
        "hooks",
        hook.name,
        "--token",
        secretOf("publisher"),
        ...args,
      );
    expect((await run("--json")).stdout).not.toContain("whsec_");
    expect((await run()).stdout).toContain(hook.path);
    expect((await run("--secrets")).stdout).toContain(hook.secret);
  });

  it("starts its run although the worker that received the delivery was killed", async () => {
    const hook = await publish({
      when: "resource('Gate', '1').open",
      input: { $path: "event.body" },
    });
    const killed = startWorkerProcess(
      new URL("../helpers/programs/gate-worker.ts", import.meta.url),
      { args: [database.url, hook.pool] },
    );
    await killed.line(/^serving/);
    const body = '{"n": 1}';
    expect((await post(hook, body, signed(hook, body))).status).toBe(202);
    await killed.line(/^reading/);
    await killed.kill();
    serve(hook.pool);
    const found = await eventually(() => outputs(hook.name, 1), isNotEmpty);
    expect(found).toEqual([{ n: 1 }]);
  }, 480_000);
});

describe("a schedule trigger", () => {
  it("starts runs at its ticks, until the definition is archived", async () => {
    const name = newDefinitionName();
    const pool = `p-${randomBytes(6).toString("hex")}`;
    const document = {
      format: 1,
      name,
      triggers: { often: { on: "schedule", every: "1s", once_for: ["event.scheduled_at"] } },
      nodes: { done: { type: "end@1", params: { output: { $path: "input" } } } },
      settings: { pool },
    };
    await definitionsOf(client).publish(name, await definitionsOf(client).create(document));
    serve(pool);
    const found = (await outputs(name, 2)) as readonly { readonly scheduled_at: string }[];
    const ticks = found.map(({ scheduled_at: at }) => at);
    expect(new Set(ticks).size).toBe(ticks.length);
    expect(ticks[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    await definitionsOf(client).archive(name);
    const schedules = await database.query(
      "select from queue.schedule_list() where workflow = $1",
      [name],
    );
    expect(schedules).toEqual([]);
  });

  it("pauses its definition after runs that failed in a row", async () => {
    const name = newDefinitionName();
    const pool = `p-${randomBytes(6).toString("hex")}`;
    const document = {
      format: 1,
      name,
      triggers: { often: { on: "schedule", every: "1s" } },
      nodes: {
        bad: { type: "set@1", params: { values: { a: { $cel: "input.scheduled_at + 1" } } } },
      },
      settings: { pool, pauseAfterFailures: 2 },
    };
    await definitionsOf(client)
      .create(document)
      .then((revision) =>
        // The mistake is what the test is about, and the checker finds it.
        database.query("select queue.definition_publish($1, $2)", [name, revision]),
      );
    serve(pool);
    const paused = await eventually(() => definitionsOf(client).get(name), { state: "paused" });
    expect(paused).toMatchObject({ pauseReason: "2 runs in a row have failed" });
    const events = await eventually(
      () => definitionsOf(client).events({ definition: name }),
      (found) => found.some(({ matches }) => matches.some(({ outcome }) => outcome === "paused")),
    );
    expect(events[0]?.topic).toBe(`oxbow.schedule.${name}.often`);
  });
});
