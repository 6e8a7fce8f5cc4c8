/** Definitions over REST: drafts under a revision, publishing by the checker, and who may do what. */
import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { documentOf, newDefinitionName } from "../helpers/definitions.ts";
import { parseTokens } from "@oxbow/server";
import { type Answer, secretOf, startTestServer } from "../helpers/server.ts";

const database = await createDatabase();
const server = await startTestServer(database);

const create = async (name = newDefinitionName(), output: unknown = 1): Promise<string> => {
  const created = await server.post("/v1/definitions", {
    name,
    document: documentOf(name, output),
  });
  expect(created).toMatchObject({ status: 201, body: { revision: 1 } });
  expect(created.headers.get("etag")).toBe('"1"');
  return name;
};

const put = (name: string, document: unknown, tag?: string): Promise<Answer> =>
  server.request("PUT", `/v1/definitions/${name}/draft`, {
    body: document,
    ...(tag === undefined ? {} : { headers: { "if-match": tag } }),
  });

const publish = (name: string, tag: string): Promise<Answer> =>
  server.request("POST", `/v1/definitions/${name}/publish`, {
    body: {},
    headers: { "if-match": tag },
  });

describe("a draft", () => {
  it("is replaced by who names its revision", async () => {
    const name = await create();
    const draft = await server.get(`/v1/definitions/${name}/draft`);
    expect(draft.body).toMatchObject({ revision: 1, document: documentOf(name), layout: null });
    const tag = draft.headers.get("etag") ?? "";
    const saved = await put(name, documentOf(name, 2), tag);
    expect(saved).toMatchObject({ status: 200, body: { revision: 2 } });
    expect(saved.headers.get("etag")).toBe('"2"');
    expect((await server.get(`/v1/definitions/${name}`)).body).toMatchObject({
      state: "draft",
      hasChanges: true,
      publishedVersion: null,
    });
  });

  it("is not replaced without a revision, nor by an old one", async () => {
    const name = await create();
    expect(await put(name, documentOf(name, 2))).toMatchObject({
      status: 428,
      body: { code: "REVISION_REQUIRED" },
    });
    expect(await put(name, documentOf(name, 2), "*")).toMatchObject({ status: 400 });
    await put(name, documentOf(name, "theirs"), '"1"');
    const refused = await put(name, documentOf(name, "mine"), '"1"');
    expect(refused).toMatchObject({
      status: 412,
      body: {
        code: "REVISION_CONFLICT",
        revision: 2,
        savedBy: expect.any(String) as string,
        savedAt: expect.stringMatching(/^\d{4}-/) as string,
        changes: [
          {
            kind: "changed",
            node: "done",
            pointer: "/nodes/done/params/output",
            from: "theirs",
            to: "mine",
          },
        ],
      },
    });
    expect((await server.get(`/v1/definitions/${name}/draft`)).body.document).toEqual(
      documentOf(name, "theirs"),
    );
  });

  it("loses no change of ten clients that edit it at the same time", async () => {
    const name = newDefinitionName();
    await server.post("/v1/definitions", { name, document: { ...documentOf(name), edits: [] } });
    const answers = new Set<number>();
    const edit = async (who: number): Promise<void> => {
      for (let edits = 0; edits < 5;) {
        const draft = await server.get(`/v1/definitions/${name}/draft`);
        const { document } = draft.body as { document: { edits: string[] } };
        const changed = { ...document, edits: [...document.edits, `${who}.${edits}`] };
        const saved = await put(name, changed, draft.headers.get("etag") ?? "");
        answers.add(saved.status);
        if (saved.status === 200) edits++;
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, who) => edit(who)));
    const { document, revision } = (await server.get(`/v1/definitions/${name}/draft`)).body as {
      document: { edits: string[] };
      revision: number;
    };
    expect(revision).toBe(51);
    expect(new Set(document.edits).size).toBe(50);
    expect(answers).toEqual(new Set([200, 412]));
  });

  it("is checked as it is, or as it is about to be", async () => {
    const name = await create();
    const validate = async (body: unknown, of = name) =>
      (await server.post(`/v1/definitions/${of}/validate`, body)).body;
    expect(await validate({})).toEqual({ problems: [] });
    const broken = {
      ...documentOf(name),
      nodes: { a: { type: "set@1", params: { x: { $path: "nodes.missing.output" } } } },
    };
    expect(await validate({ document: broken })).toMatchObject({
      problems: [{ severity: "error", code: "UNKNOWN_NODE", node: "a" }],
    });
    expect(await validate({ document: broken }, "not-saved-yet")).toMatchObject({
      problems: [{ code: "UNKNOWN_NODE" }],
    });
    expect(await validate({ document: {} })).toMatchObject({
      problems: expect.arrayContaining([
        expect.objectContaining({ code: "MISSING_MEMBER" }),
      ]) as unknown[],
    });
    expect(await server.post("/v1/definitions/missing/validate", {})).toMatchObject({
      status: 404,
      body: { code: "DEFINITION_NOT_FOUND" },
    });
  });

  it("has a layout, which changes no revision", async () => {
    const name = await create();
    const layout = { nodes: { done: [10, 20] } };
    await server.request("PUT", `/v1/definitions/${name}/layout`, { body: layout });
    expect((await server.get(`/v1/definitions/${name}/draft`)).body).toMatchObject({
      revision: 1,
      layout,
    });
  });
});

describe("a value that is nested too deeply", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const post = async (path: string, body: string): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(server.url + path, { method: "POST", headers, body });
    return { status: response.status, body: await response.json() };
  };

  it("is a problem of a document", async () => {
    const document = `{"format": 1, "name": "deep", "nodes": {}, "input": {"default": ${deep}}}`;
    expect(await post("/v1/definitions/deep/validate", `{"document": ${document}}`)).toMatchObject({
      status: 200,
      body: { problems: [{ code: "TOO_DEEP" }] },
    });
    expect(
      await post("/v1/definitions", `{"name": "deep", "document": ${document}}`),
    ).toMatchObject({ status: 400 });
  });

  it("is no input of a definition", async () => {
    const name = newDefinitionName();
    await create(name);
    await put(name, { ...documentOf(name), input: { type: "object" } }, '"1"');
    await publish(name, '"2"');
    expect(await post(`/v1/definitions/${name}/runs`, `{"input": {"a": ${deep}}}`)).toMatchObject({
      status: 400,
      body: { code: "VALIDATION_FAILED", detail: expect.stringMatching(/1000 levels/) as string },
    });
  });
});

describe("publishing", () => {
  it("makes a version, which runs keep", async () => {
    const name = await create();
    expect(await publish(name, '"1"')).toMatchObject({
      status: 200,
      body: { version: 1, created: true, warnings: [] },
    });
    const first = await server.post(`/v1/definitions/${name}/runs`, { input: { a: 1 } });
    expect(first).toMatchObject({ status: 201, body: { created: true, status: "running" } });
    await put(name, documentOf(name, 2), '"1"');
    await publish(name, '"2"');
    const again = await server.post(`/v1/definitions/${name}/runs`, { version: 1 });
    const newest = await server.post(`/v1/definitions/${name}/runs`, {});
    const versionOf = async ({ body }: Answer) =>
      (await server.get(`/v1/runs/${body.runId}`)).body.version;
    expect(await Promise.all([first, again, newest].map(versionOf))).toEqual([1, 1, 2]);
    expect((await server.get(`/v1/definitions/${name}/versions`)).body.versions).toMatchObject([
      { version: 2, state: "published" },
      { version: 1, state: "archived" },
    ]);
    expect((await server.get(`/v1/definitions/${name}/versions/published`)).body).toMatchObject({
      version: 2,
      document: documentOf(name, 2),
    });
    expect((await server.get(`/v1/definitions/${name}/diff?from=1&to=2`)).body).toEqual({
      changes: [
        { kind: "changed", node: "done", pointer: "/nodes/done/params/output", from: 1, to: 2 },
      ],
    });
    expect((await server.get(`/v1/definitions/${name}/diff`)).body).toEqual({ changes: [] });
    const restored = await server.request("POST", `/v1/definitions/${name}/restore`, {
      body: { version: 1 },
      headers: { "if-match": '"2"' },
    });
    expect(restored.body).toEqual({ revision: 3 });
  });

  it("refuses errors with all problems, and accepts warnings", async () => {
    const name = newDefinitionName();
    const nodes = {
      ask: { type: "wait@1", params: { event: "go", timeout: "1h" } },
      done: { type: "end@1", params: { output: { $path: "input.mode" } } },
    };
    const broken = { ...documentOf(name), nodes: { ...nodes, bad: { type: "branch@1" } } };
    await server.post("/v1/definitions", { name, document: broken });
    const refused = await publish(name, '"1"');
    expect(refused).toMatchObject({ status: 422, body: { code: "INVALID_DEFINITION" } });
    expect(refused.body.problems).toContainEqual(
      expect.objectContaining({ severity: "error", node: "bad" }),
    );
    const warned = {
      ...documentOf(name),
      nodes,
      edges: [{ from: "ask", on: "received", to: "done" }],
    };
    await put(name, warned, '"1"');
    const published = await publish(name, '"2"');
    expect(published).toMatchObject({
      status: 200,
      body: { version: 1, warnings: [{ severity: "warning", code: "UNUSED_HANDLE" }] },
    });
  });

  it("names the revision that is published", async () => {
    const name = await create();
    const without = await server.post(`/v1/definitions/${name}/publish`, {});
    expect(without).toMatchObject({ status: 428 });
    await put(name, documentOf(name, 2), '"1"');
    expect(await publish(name, '"1"')).toMatchObject({
      status: 412,
      body: { code: "REVISION_CONFLICT", revision: 2 },
    });
  });

  it("skips the checker for no revision, not even for one that is saved meanwhile", async () => {
    const name = await create();
    // A publish that reached the database would wait for this one.
    const other = await database.connect();
    await other.query("begin");
    await other.query("select queue._lock_name('publish')");
    let isAnswered = false;
    const early = publish(name, '"2"').finally(() => {
      isAnswered = true;
    });
    await eventually(
      async () =>
        isAnswered ||
        (
          await database.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          )
        ).length > 0,
      true,
    );
    const broken = { ...documentOf(name), nodes: { bad: { type: "branch@1" } } };
    expect(await put(name, broken, '"1"')).toMatchObject({ status: 200, body: { revision: 2 } });
    await other.query("commit");
    expect(await early).toMatchObject({
      status: 412,
      body: {
        code: "REVISION_CONFLICT",
        revision: 1,
        savedBy: expect.any(String) as string,
        savedAt: expect.stringMatching(/^\d{4}-/) as string,
      },
    });
  });

  it("is what a start needs, and pause and archive prevent", async () => {
    const name = await create();
    const start = () => server.post(`/v1/definitions/${name}/runs`, {});
    const inactive = { status: 409, body: { code: "DEFINITION_INACTIVE" } };
    expect(await start()).toMatchObject(inactive);
    await publish(name, '"1"');
    const change = async (what: string) =>
      (await server.post(`/v1/definitions/${name}/${what}`)).body;
    expect(await change("pause?reason=on%20fire")).toEqual({ changed: true });
    expect(await start()).toMatchObject(inactive);
    expect(await change("resume")).toEqual({ changed: true });
    expect(await start()).toMatchObject({ status: 201 });
    expect(await change("archive")).toEqual({ changed: true });
    expect(await start()).toMatchObject(inactive);
    expect(await server.request("DELETE", `/v1/definitions/${name}`)).toMatchObject({
      status: 409,
      body: { code: "DEFINITION_IN_USE" },
    });
    expect(await server.request("DELETE", `/v1/definitions/${await create()}`)).toMatchObject({
      body: { deleted: true },
    });
  });
});

it("applying changes all definitions, or nothing", async () => {
  const [one, two] = [`a${newDefinitionName()}`, `b${newDefinitionName()}`];
  const apply = (documents: readonly unknown[], publishes: boolean) =>
    server.request("PUT", "/v1/definitions", { body: { documents, publish: publishes } });
  const broken = { ...documentOf(two), nodes: { done: { type: "end@1", params: 1 } } };
  expect(await apply([documentOf(one), broken], true)).toMatchObject({
    status: 422,
    body: { problems: [{ severity: "error" }] },
  });
  expect(await server.get(`/v1/definitions/${one}`)).toMatchObject({ status: 404 });
  expect((await apply([documentOf(two), documentOf(one)], true)).body).toEqual({
    definitions: [
      { name: one, outcome: "created", revision: 1, version: 1 },
      { name: two, outcome: "created", revision: 1, version: 1 },
    ],
  });
  await put(one, documentOf(one, "of anna"), '"1"');
  expect(await apply([documentOf(one, "of ci")], false)).toMatchObject({ status: 412 });
});

it("lists are paged by name, and count changes", async () => {
  const own = await startTestServer(await createDatabase());
  for (const name of ["a", "b", "c"]) {
    await own.post("/v1/definitions", { name, document: documentOf(name), folder: "f" });
  }
  const list = async (query: string) => (await own.get(`/v1/definitions?${query}`)).body;
  const names = (page: { definitions: { name: string }[] }) =>
    page.definitions.map(({ name }) => name);
  const first = await list("limit=2");
  expect(names(first)).toEqual(["a", "b"]);
  expect(names(await list("after=b&folder=f&state=draft&search=C"))).toEqual(["c"]);
  expect(names(await list("name=b"))).toEqual(["b"]);
  expect(names(await list("name=B"))).toEqual([]);
  await own.request("POST", "/v1/definitions/a/publish", {
    body: {},
    headers: { "if-match": '"1"' },
  });
  expect(Number((await list("")).epoch)).toBe(Number(first.epoch) + 1);
});

it("the author of a change is the token, or the actor that a token may name", async () => {
  const guarded = await startTestServer(await createDatabase(), {
    tokens: parseTokens(
      `anna=${secretOf("anna")}:define+publish+read, portal=${secretOf("portal")}:define+publish+act`,
    ),
  });
  const headers = { "oxbow-actor": "ada@example.com" };
  await guarded.request("POST", "/v1/definitions", {
    token: "anna",
    body: { name: "d", document: documentOf("d") },
  });
  const ask = (path: string) =>
    guarded.request("GET", `/v1/definitions/d${path}`, { token: "anna" });
  expect((await ask("/draft")).body).toMatchObject({ savedBy: "anna" });
  const save = (token: string, revision: number, more: Record<string, string>) =>
    guarded.request("PUT", "/v1/definitions/d/draft", {
      token,
      body: documentOf("d", token),
      headers: { "if-match": `"${revision}"`, ...more },
    });
  expect(await save("portal", 1, headers)).toMatchObject({ status: 200 });
  expect(await save("anna", 1, {})).toMatchObject({
    status: 412,
    body: { savedBy: "ada@example.com", revision: 2 },
  });
  await guarded.request("POST", "/v1/definitions/d/publish", {
    token: "portal",
    body: {},
    headers: { "if-match": '"2"', ...headers },
  });
  expect((await ask("/versions")).body.versions).toMatchObject([
    { publishedBy: "ada@example.com" },
  ]);
  expect(await save("anna", 2, headers)).toMatchObject({ status: 403 });
});

describe("tokens", () => {
  it("define edits drafts, publish publishes, produce starts, read reads", async () => {
    const own = await createDatabase();
    const guarded = await startTestServer(own, {
      secrets: "look:read, edit:define, release:publish, both:define+publish, make:produce, all",
    });
    const document = documentOf("d");
    await guarded.request("POST", "/v1/definitions", {
      token: "edit",
      body: { name: "d", document },
    });
    const headers = { "if-match": '"1"' };
    const calls: readonly [string, string, object, readonly string[]][] = [
      ["GET", "/v1/definitions/d", {}, ["look", "all"]],
      ["PUT", "/v1/definitions/d/draft", { body: document, headers }, ["edit", "both", "all"]],
      ["PUT", "/v1/definitions/d/layout", { body: {} }, ["edit", "both", "all"]],
      ["POST", "/v1/definitions/d/publish", { body: {}, headers }, ["release", "both", "all"]],
      ["POST", "/v1/definitions/d/pause", {}, ["release", "both", "all"]],
      ["POST", "/v1/definitions/d/resume", {}, ["release", "both", "all"]],
      ["POST", "/v1/definitions/d/runs", { body: {} }, ["make", "all"]],
      ["PATCH", "/v1/definitions/d", { body: { isProtected: false } }, ["all"]],
      ["PUT", "/v1/definitions", { body: { documents: [] } }, ["edit", "both", "all"]],
      [
        "PUT",
        "/v1/definitions",
        { body: { documents: [document], publish: true } },
        ["both", "all"],
      ],
    ];
    for (const [method, path, options, allowed] of calls) {
      for (const token of ["look", "edit", "release", "both", "make", "all"]) {
        const { status } = await guarded.request(method, path, { ...options, token });
        expect([method, path, token, status === 403]).toEqual([
          method,
          path,
          token,
          !allowed.includes(token),
        ]);
      }
    }
  });

  it("publish deletes what is not protected, admin the rest", async () => {
    const own = await createDatabase();
    const guarded = await startTestServer(own, { secrets: "edit:define, release:publish, all" });
    const remove = (name: string, token: string) =>
      guarded.request("DELETE", `/v1/definitions/${name}`, { token });
    for (const [name, isProtected] of [
      ["open", false],
      ["closed", true],
    ] as const) {
      await guarded.request("POST", "/v1/definitions", {
        token: "edit",
        body: { name, document: documentOf(name), isProtected },
      });
    }
    expect(await remove("open", "release")).toMatchObject({ body: { deleted: true } });
    expect(await remove("closed", "release")).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('"closed" is protected') as string },
    });
    expect(await remove("closed", "all")).toMatchObject({ body: { deleted: true } });
    expect(await remove("closed", "release")).toMatchObject({ body: { deleted: false } });
  });
});
