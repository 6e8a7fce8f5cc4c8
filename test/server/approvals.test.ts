/** Approvals over REST, through clients, by links, and from the command line. */
import { createWorkflowClient } from "@oxbow/sdk";
import { parseTokens } from "@oxbow/server";
import { afterAll, describe, expect, it } from "vitest";
import { documents, oxbowOf } from "../helpers/command.ts";
import { createDatabase } from "../helpers/database.ts";
import { Runs } from "../helpers/runs.ts";
import { secretOf, startTestServer } from "../helpers/server.ts";

const database = await createDatabase();
const tokens = parseTokens(
  [
    `ops=${secretOf("ops")}:admin`,
    `portal=${secretOf("portal")}:approve+produce+act`,
    `ada=${secretOf("ada")}:approve+produce`,
    `bob=${secretOf("bob")}:approve`,
    `look=${secretOf("look")}:read`,
    `make=${secretOf("make")}:produce`,
  ].join(","),
);
const server = await startTestServer(database, { tokens });
const remote = createWorkflowClient({ url: server.url, token: secretOf("portal"), actor: "cyd" });

afterAll(() => remote.close());

let made = 0;

/** A run that waits for an approval. */
async function ask(
  request: Readonly<Record<string, unknown>> = {},
  started?: { readonly runId: string; readonly runs: Runs },
): Promise<{ readonly id: string; readonly runId: string; readonly workflow: string }> {
  made += 1;
  const runs = started?.runs ?? new Runs(database, `asks-${made}`);
  const runId = started?.runId ?? (await runs.start());
  const delivery = await runs.receiveOne();
  const waits = [
    {
      kind: "event",
      step: "review",
      event: " approval:review",
      approval: true,
      until: request["expiresAt"],
    },
  ];
  await database.query(
    `select outcome from queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['suspend'],
       array[$4::jsonb], array[null::timestamptz], effect_items => array[1], effect_kinds => array['approval'],
       effect_steps => array['review'], effect_targets => array[null], effect_events => array[null],
       effect_values => array[$5::jsonb], effect_versions => array[null::integer],
       effect_retention => array[null::integer], effect_traces => array[null::jsonb])`,
    [
      runs.name,
      delivery.run_id,
      delivery.receipt,
      JSON.stringify({ waits, retries: [], journaled: 0 }),
      JSON.stringify({ title: "Ship?", ...request }),
    ],
  );
  const [row] = await database.query(
    "select approval_id::text as id from queue.approval_list(run_id => $1)",
    [runId],
  );
  return { id: String(row?.["id"]), runId, workflow: runs.name };
}

/** A schema whose comparison takes twice the time with each level. */
function doubling(levels: number): object {
  const names = Array.from({ length: levels }, (_, level) => `level${level}`);
  const twice = (name: string): object => ({
    allOf: [1, 2].map(() => ({ $ref: `#/$defs/${name}` })),
  });
  const definitions = names.map((name, level) => [
    name,
    level + 1 === levels ? { minProperties: 9 } : twice(`level${level + 1}`),
  ]);
  return { ...twice("level0"), $defs: Object.fromEntries(definitions) as unknown };
}

const decide = (id: string, token: string, body: unknown, headers = {}) =>
  server.request("POST", `/v1/approvals/${id}/decision`, { token, body, headers });
const list = async (query: string, token = "look") =>
  (await server.request("GET", `/v1/approvals${query}`, { token })).body.approvals.map(
    ({ id }: { id: string }) => id,
  );

describe("REST", () => {
  it("shows requests, and takes decisions of the caller", async () => {
    const { id, runId, workflow } = await ask({ approvers: ["ada"], quorum: 1 });
    const shown = await server.request("GET", `/v1/approvals/${id}`, { token: "ada" });
    expect(await server.request("GET", `/v1/approvals/${id}`, { token: "bob" })).toMatchObject({
      status: 404,
      body: { code: "APPROVAL_NOT_FOUND" },
    });
    expect(shown).toMatchObject({
      status: 200,
      body: { id, runId, workflow, step: "review", status: "waiting", approvers: ["ada"] },
    });
    expect(await decide(id, "bob", { decision: "approved" })).toMatchObject({
      status: 403,
      body: { code: "NOT_AN_APPROVER" },
    });
    expect(await decide(id, "ada", { decision: "approved" })).toMatchObject({
      status: 200,
      body: { outcome: "delivered" },
    });
    expect(await decide(id, "ada", { decision: "approved" })).toMatchObject({
      body: { outcome: "decided" },
    });
    const audit = await server.request("GET", `/v1/audit?subjectType=approval&subject=${id}`, {
      token: "ops",
    });
    expect(audit.body.entries.at(-1)).toMatchObject({ actor: "ada", action: "approval.decide" });
  });

  it("lists by state, workflow and person, in pages", async () => {
    const workflow = `listed-${made}`;
    const runs = new Runs(database, workflow);
    const asked = [];
    for (const approvers of [["ada"], ["bob"], undefined]) {
      asked.push(await ask(approvers && { approvers }, { runs, runId: await runs.start() }));
    }
    const [ada, bob, anyone] = asked.map(({ id }) => id);
    const of = `?workflow=${workflow}`;
    expect(await list(of)).toEqual([anyone, bob, ada]);
    expect(await list(`${of}&approver=ada`)).toEqual([anyone, ada]);
    // Without the scope read, one's own.
    expect(await list(of, "bob")).toEqual([anyone, bob]);
    expect(await list(`${of}&mine=true`, "ops")).toEqual([anyone]);
    const first = await server.request("GET", `/v1/approvals${of}&limit=2`, { token: "look" });
    expect(await list(`${of}&limit=2&cursor=${first.body.cursor}`)).toEqual([ada]);
    await decide(anyone ?? "", "bob", { decision: "rejected" });
    expect(await list(`${of}&status=decided`)).toEqual([anyone]);
    expect(await list(of, "make")).toEqual([]);
    const hidden = await server.request("GET", `/v1/approvals/${bob}`, { token: "make" });
    expect(hidden.status).toBe(404);
  });

  it("compares values with the form; a rejection may leave it out", async () => {
    const form = {
      type: "object",
      required: ["amount"],
      properties: { amount: { type: "integer", maximum: 10 } },
      additionalProperties: false,
    };
    const { id } = await ask({ form, quorum: 2 });
    for (const values of [undefined, {}, { amount: "5" }, { amount: 11 }, { amount: 5, more: 1 }]) {
      const { status, body } = await decide(id, "ada", { decision: "approved", values });
      expect([status, body.code]).toEqual([400, "VALIDATION_FAILED"]);
    }
    const fine = await decide(id, "ada", { decision: "approved", values: { amount: 5 } });
    expect(fine.body).toEqual({ outcome: "counted" });
    const rejected = await decide(id, "bob", { decision: "rejected" });
    expect(rejected.body).toEqual({ outcome: "delivered" });
    const broken = await ask({ form: { type: "nothing" } });
    const decided = await decide(broken.id, "ada", { decision: "approved", values: { a: 1 } });
    expect(decided.body).toEqual({ outcome: "delivered" });
  });

  it.each([
    [
      "2020-12",
      "https://json-schema.org/draft/2020-12/schema",
      { prefixItems: [{ type: "null" }] },
    ],
    ["2019-09", "https://json-schema.org/draft/2019-09/schema", { items: [{ type: "null" }] }],
    ["draft 7", "http://json-schema.org/draft-07/schema#", { items: [{ type: "null" }] }],
  ])("compares values with a form that names its dialect: %s", async (_name, $schema, pair) => {
    const amount = { type: "integer" };
    const form = { $schema, type: "object", required: ["amount"], properties: { amount, pair } };
    const { id } = await ask({ form });
    for (const values of [{ amount: "a lot" }, { amount: 1, pair: [1] }]) {
      const refused = await decide(id, "ada", { decision: "approved", values });
      expect(refused).toMatchObject({ status: 400, body: { code: "VALIDATION_FAILED" } });
    }
    const values = { amount: 1, pair: [null] };
    const fine = await decide(id, "ada", { decision: "approved", values });
    expect(fine.body).toEqual({ outcome: "delivered" });
  });

  it("compares no values with a form that refers to itself without end", async () => {
    const { id } = await ask({ form: { type: "object", allOf: [{ $ref: "#" }] } });
    const decided = await decide(id, "ada", { decision: "approved", values: { amount: 1 } });
    expect(decided.body).toEqual({ outcome: "delivered" });
  });

  it("refuses values that are too deep for a form that refers to itself", async () => {
    const form = {
      type: "object",
      properties: { amount: { type: "integer" }, tree: { $ref: "#/$defs/tree" } },
      $defs: { tree: { type: "array", items: { $ref: "#/$defs/tree" } } },
    };
    const { id } = await ask({ form });
    const tree = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const refused = await decide(
      id,
      "ada",
      `{"decision":"approved","values":{"amount":"a lot","tree":${tree}}}`,
    );
    expect(refused).toMatchObject({ status: 400, body: { code: "VALIDATION_FAILED" } });
  });

  it.each([
    ["pattern", { properties: { why: { pattern: "^(a+)+$" } } }],
    ["reference", doubling(40)],
  ])("gives up a comparison that would hold up the server: %s", async (_name, schema) => {
    const { id } = await ask({ form: { type: "object", ...schema } });
    const asked = decide(id, "ada", {
      decision: "approved",
      values: { why: `${"a".repeat(60)}!` },
    });
    expect(await asked).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("took more than 250 ms") },
    });
    expect((await decide(id, "ada", { decision: "rejected" })).status).toBe(200);
  });

  it("believes persons and groups from tokens that act for others", async () => {
    const { id } = await ask({ approvers: ["risk"] });
    const body = { decision: "approved", groups: ["risk"] };
    expect(await decide(id, "ada", body)).toMatchObject({ status: 403 });
    expect(await decide(id, "portal", body)).toMatchObject({ status: 403 });
    const headers = { "oxbow-actor": "eve" };
    expect(await decide(id, "portal", body, headers)).toMatchObject({
      body: { outcome: "delivered" },
    });
    const { body: shown } = await server.request("GET", `/v1/approvals/${id}`, { token: "look" });
    expect(shown.decisions).toMatchObject([{ actor: "eve" }]);
  });

  it("excludes the person who started the run through the server", async () => {
    const workflow = `self-${made}`;
    const started = await server.request("POST", `/v1/workflows/${workflow}/runs`, {
      token: "ada",
      body: { input: 1 },
    });
    const runs = new Runs(database, workflow);
    const { id } = await ask({ excludeStarter: true }, { runs, runId: started.body.runId });
    const refused = await decide(id, "ada", { decision: "approved" });
    expect(refused).toMatchObject({ status: 403, body: { code: "NOT_AN_APPROVER" } });
    expect((await decide(id, "bob", { decision: "approved" })).body.outcome).toBe("delivered");
  });

  it("refuses what can't be", async () => {
    expect(await decide("999999", "ada", { decision: "approved" })).toMatchObject({
      status: 404,
      body: { code: "APPROVAL_NOT_FOUND" },
    });
    const { id } = await ask();
    expect((await decide(id, "ada", { decision: "maybe" })).status).toBe(400);
    expect((await decide(id, "look", { decision: "approved" })).status).toBe(403);
    expect((await decide(id, "make", { decision: "approved" })).status).toBe(403);
  });
});

it("a client lists, reads, decides and makes links through a server", async () => {
  const { id, runId } = await ask({
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    approvers: ["cyd", "dan"],
    quorum: 2,
  });
  const approval = await remote.approvals.get(id);
  expect(approval).toMatchObject({ id, runId, requestedAt: expect.any(Date) });
  expect(approval.expiresAt).toBeInstanceOf(Date);
  expect(await remote.approvals.decide(id, "approved", { values: { why: 1 } })).toBe("counted");
  const token = await remote.approvals.link(id, "dan");
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  await expect(remote.approvals.link(id, "eve")).rejects.toMatchObject({ name: "NotAnApprover" });
  await expect(remote.approvals.get("999999")).rejects.toMatchObject({
    name: "ApprovalNotFound",
  });
  expect((await remote.approvals.get(id)).decisions).toEqual([
    { actor: "cyd", decision: "approved", values: { why: 1 }, at: expect.any(Date) },
  ]);
  await using portal = createWorkflowClient({ url: server.url, token: secretOf("look") });
  for await (const { approvals } of portal.approvals.list({ runId, status: "waiting" })) {
    expect(approvals).toMatchObject([{ id }]);
  }
});

describe("a link", () => {
  const linkFor = async (id: string, actor: string, groups?: readonly string[]) => {
    const { status, body } = await server.request("POST", `/v1/approvals/${id}/links`, {
      token: "portal",
      body: { actor, groups },
    });
    expect(status).toBe(201);
    return `${server.url}${body.path}`;
  };
  const send = (link: string, fields: Readonly<Record<string, string>>) =>
    fetch(link, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
  const statusOf = async (id: string) =>
    (await server.request("GET", `/v1/approvals/${id}`, { token: "look" })).body;

  it("shows a form without scripts, and decides only by POST, once", async () => {
    const form = {
      type: "object",
      required: ["why"],
      order: ["amount", "gone", "why"],
      properties: {
        why: { type: "string", title: "Why" },
        amount: { type: "integer" },
        fast: { type: "boolean" },
        size: { enum: [1, 2] },
        extra: { type: "array" },
      },
    };
    const { id } = await ask({ title: "<b>Ship</b>?", form, approvers: ["risk"] });
    // The others follow in the order of the database: fast, size, extra.
    const link = await linkFor(id, "Dan", ["risk"]);
    for (const method of ["GET", "HEAD", "GET"]) {
      const response = await fetch(link, { method });
      expect(response.status).toBe(200);
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/script|unsafe/);
      expect(response.headers.get("cache-control")).toBe("no-store");
      const html = await response.text();
      expect(html).not.toContain("<b>Ship");
      expect(html).not.toMatch(/<script|javascript:|\son\w+=/i);
    }
    expect(await statusOf(id)).toMatchObject({ status: "waiting" });
    expect((await fetch(link, { method: "PUT" })).status).toBe(405);

    const unreadable = await send(link, { decision: "approved", f1: "<i>", f4: "[" });
    expect(unreadable.status).toBe(400);
    expect(await unreadable.text()).toContain("is not valid JSON");
    const missing = await send(link, { decision: "approved", f0: "1" });
    expect(missing.status).toBe(400);
    const undecided = await send(link, { f1: "paid" });
    expect(undecided.status).toBe(400);
    expect(await statusOf(id)).toMatchObject({ status: "waiting", decisions: [] });

    const decided = await send(link, {
      decision: "approved",
      f0: "7",
      f1: "paid",
      f2: "on",
      f3: "2",
      f4: "[1]",
    });
    expect(decided.status).toBe(303);
    const after = await fetch(new URL(decided.headers.get("location") ?? "", link));
    expect(await after.text()).toContain("was approved");
    const { decisions } = await statusOf(id);
    const values = { why: "paid", amount: 7, fast: true, size: 2, extra: [1] };
    expect(decisions).toMatchObject([{ actor: "Dan", decision: "approved", values }]);
    const again = await send(link, { decision: "rejected" });
    expect(again.status).toBe(303);
    expect(await statusOf(id)).toMatchObject({ status: "approved", decisions });
    const { body } = await server.request("GET", `/v1/audit?subjectType=approval&subject=${id}`, {
      token: "ops",
    });
    expect(body.entries).toContainEqual(
      expect.objectContaining({ actor: "Dan", actorKind: "delegate", token: "approval link" }),
    );
  });

  it("rejects without the form, and ends with the request", async () => {
    const form = { type: "object", required: ["why"], properties: { why: { type: "string" } } };
    const { id } = await ask({ form });
    const link = await linkFor(id, "dan");
    expect((await send(link, { decision: "rejected" })).status).toBe(303);
    expect(await statusOf(id)).toMatchObject({ status: "rejected" });

    const other = await ask();
    const late = await linkFor(other.id, "dan");
    await database.query("select queue.workflow_cancel($1)", [other.runId]);
    expect(await (await fetch(late)).text()).toContain("was withdrawn");
    await send(late, { decision: "approved" });
    expect(await statusOf(other.id)).toMatchObject({ status: "withdrawn", decisions: [] });
  });

  it("is not found by guessing, and made only by tokens that act for others", async () => {
    const { id } = await ask();
    for (const token of ["0".repeat(64), "x", "..%2f..", "'%20or%201=1"]) {
      expect((await fetch(`${server.url}/approve/${token}`)).status).toBe(404);
    }
    const body = { actor: "dan" };
    for (const token of ["ada", "look", "ops"]) {
      const { status } = await server.request("POST", `/v1/approvals/${id}/links`, { token, body });
      expect(status).toBe(403);
    }
    // Other routes take no forms, which any page can send.
    const form = await fetch(`${server.url}/v1/approvals/${id}/decision`, {
      method: "POST",
      headers: { authorization: `Bearer ${secretOf("ada")}` },
      body: new URLSearchParams({ decision: "approved" }),
    });
    expect(form.status).toBe(415);
  });
});

it("oxbow approvals lists and decides", async () => {
  const run = oxbowOf(database.url);
  const { id, workflow, runId } = await ask({ quorum: 2, approvers: ["ada", "bob"] });
  const decided = await run(
    "approvals",
    "decide",
    id,
    "approve",
    "--actor",
    "ada",
    "--set",
    "why=ok",
  );
  expect(decided).toMatchObject({ code: 0, stdout: expect.stringContaining("is recorded") });
  const { stdout } = await run("approvals", "list", "--workflow", workflow);
  expect(stdout).toMatch(
    new RegExp(`${id} .*${workflow} +${runId} +review +Ship\\? +ada, bob .*waiting, 1 of 2`),
  );
  expect((await run("approvals", "decide", id, "approve", "--actor", "ada")).code).toBe(6);
  expect((await run("approvals", "decide", id, "approve", "--actor", "eve")).code).toBe(6);
  expect(await run("approvals", "decide", id, "reject", "--actor", "bob")).toMatchObject({
    stdout: `Approval ${id} is rejected, and its run continues.`,
  });
  expect((await run("approvals", "list", "--workflow", workflow)).stdout).toBe("");
  const all = documents(await run("approvals", "list", "--all", "--run", runId, "--json"));
  expect(all).toMatchObject([
    { id, status: "rejected", decisions: [{ values: { why: "ok" } }, {}] },
  ]);
  expect((await run("approvals", "decide", "999999", "approve")).code).toBe(3);
  expect((await run("approvals", "decide", id, "maybe")).code).toBe(2);
});
