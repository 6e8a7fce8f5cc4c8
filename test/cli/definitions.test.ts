import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { documents, oxbow, oxbowOf } from "../helpers/command.ts";
import { createDatabase } from "../helpers/database.ts";
import { documentOf, newDefinitionName } from "../helpers/definitions.ts";
import { commit, listening, receive, send, start } from "../helpers/triggers.ts";
import { startTestServer } from "../helpers/server.ts";

const database = await createDatabase();
const run = oxbowOf(database.url);

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "oxbow-definitions-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function fileOf(folder: string, document: unknown, name = "document.json"): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(document));
  return path;
}

describe("oxbow definitions", () => {
  it("lists events, explains one to the database and through a server, and forgets once_for", async () => {
    const { name, topic, pool } = await listening(database, {
      trigger: { when: "event.rank > 1", once_for: ["event.id"] },
    });
    expect((await run("definitions", "events", name)).stderr).toContain("No events.");
    await send(database, topic, { id: "i1", rank: 2 });
    await send(database, topic, { id: "i2", rank: 1 });
    const { events } = await receive(database, pool);
    const [matching, other] = events;
    if (matching === undefined || other === undefined) throw new Error("Two events were expected.");
    const started = start(matching, name, { onceKey: '["i1"]' });
    await commit(database, pool, [matching, other], [started]);

    const list = await run("definitions", "events", name);
    expect(list.stdout).toMatch(new RegExp(`^${matching.eventId} .* evaluated +1 started`, "m"));
    const explained = await run("definitions", "explain", name, other.eventId);
    expect(explained).toMatchObject({ code: 0, stderr: "" });
    expect(explained.stdout).toMatch(/^verdict +guard$/m);
    expect(explained.stdout).toMatch(/^no +event.rank > 1 +event.rank = 1$/m);
    expect(await run("definitions", "explain", name, "999999999")).toMatchObject({ code: 3 });

    const through = oxbowOf((await startTestServer(database)).url);
    const json = documents(
      await through("definitions", "explain", name, matching.eventId, "--json"),
    );
    expect(json).toMatchObject([
      {
        eventId: matching.eventId,
        triggers: [{ verdict: "started", onceHolder: { eventId: matching.eventId } }],
      },
    ]);
    expect(await through("definitions", "forget-once", name, '["i1"]')).toMatchObject({ code: 0 });
    expect(await run("definitions", "forget-once", name, '["i1"]')).toMatchObject({ code: 6 });
  });

  it("applies, publishes, starts and shows a definition", async () => {
    const name = newDefinitionName();
    const file = fileOf(newFolder(), { ...documentOf(name), title: "A title" });
    const applied = await run("definitions", "apply", file, "--actor", "anna");
    expect(applied).toMatchObject({ code: 0, stderr: "" });
    expect(applied.stdout).toMatch(new RegExp(`^DEFINITION +DRAFT +REVISION\n${name} +created +1`));
    expect((await run("definitions", "publish", name, "--note", "first")).stdout).toBe(
      `Published version 1 of ${name}.`,
    );
    expect((await run("definitions", "publish", name)).stdout).toContain("published before");
    expect((await run("definitions", "start", name, '{"a":1}')).stdout).toMatch(
      new RegExp(`^Started run \\d+ of ${name}\\.$`),
    );
    const [list, show, json] = await Promise.all([
      run("definitions", "list", "--search", name),
      run("definitions", "show", name),
      run("definitions", "show", name, "--json"),
    ]);
    expect(list.stdout).toMatch(new RegExp(`${name} +published +1 .*A title`));
    expect(show.stdout).toMatch(/^draft +revision 1, saved by anna/m);
    expect(show.stdout).toMatch(/^1 +published .* first$/m);
    expect(documents(json)).toMatchObject([{ name, versions: [{ version: 1, note: "first" }] }]);
    expect(await run("definitions", "show", "missing")).toMatchObject({ code: 3 });
  });

  it("applies all documents of a folder, or nothing, and publishes only with the option", async () => {
    const folder = newFolder();
    const [one, two] = [`a${newDefinitionName()}`, `b${newDefinitionName()}`];
    fileOf(folder, documentOf(one), "1.json");
    const second = fileOf(
      folder,
      { ...documentOf(two), nodes: { b: { type: "branch@1" } } },
      "2.json",
    );
    const refused = await run("definitions", "apply", folder, "--publish");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(two);
    expect(await run("definitions", "show", one)).toMatchObject({ code: 3 });
    writeFileSync(second, JSON.stringify(documentOf(two)));
    expect(documents(await run("definitions", "apply", folder, "--publish", "--json"))).toEqual([
      { name: one, outcome: "created", revision: 1, version: 1 },
      { name: two, outcome: "created", revision: 1, version: 1 },
    ]);
    fileOf(folder, documentOf(one, 2), "1.json");
    expect(documents(await run("definitions", "apply", folder, "--json"))).toMatchObject([
      { name: one, outcome: "changed", revision: 2, version: 1 },
      { name: two, outcome: "unchanged" },
    ]);
    fileOf(folder, documentOf(one, 3), "1.json");
    const conflict = await run("definitions", "apply", folder);
    expect(conflict).toMatchObject({ code: 6 });
    expect(conflict.stderr).toContain("has unpublished changes");
    expect(await run("definitions", "apply", folder, "--overwrite")).toMatchObject({ code: 0 });
  });

  it("checks files without a database, and drafts with one", async () => {
    const name = newDefinitionName();
    const folder = newFolder();
    const good = fileOf(folder, documentOf(name), "good.json");
    const bad = fileOf(
      folder,
      { ...documentOf(name), nodes: { b: { type: "branch@1" } } },
      "bad.json",
    );
    const offline = (...args: string[]) => oxbow(["definitions", "validate", ...args]);
    expect(await offline(good)).toMatchObject({ code: 0, stdout: `${name} has no problems.` });
    const found = await offline(bad);
    expect(found).toMatchObject({ code: 2 });
    expect(found.stdout).toMatch(new RegExp(`^${name}/nodes/b.* error [A-Z_]+: `, "m"));
    expect(documents(await offline(bad, "--json"))).toMatchObject([
      { definition: name, problems: [{ severity: "error" }] },
    ]);
    await run("definitions", "apply", good);
    expect(await run("definitions", "validate", name)).toMatchObject({ code: 0 });
    expect(await offline(join(folder, "missing.json"))).toMatchObject({ code: 2 });
  });

  it("exports documents in one form, which apply takes elsewhere", async () => {
    const own = await createDatabase();
    const elsewhere = await createDatabase();
    const folder = newFolder();
    mkdirSync(join(folder, "in"));
    for (const name of ["b", "a"]) fileOf(join(folder, "in"), documentOf(name), `${name}.json`);
    const here = oxbowOf(own.url);
    await here("definitions", "apply", join(folder, "in"), "--publish");
    const out = join(folder, "out");
    expect((await here("definitions", "export", "--directory", out)).code).toBe(0);
    expect(readdirSync(out)).toEqual(["a.json", "b.json"]);
    const text = readFileSync(join(out, "a.json"), "utf8");
    expect(text).toBe(
      `${JSON.stringify(
        { format: 1, name: "a", nodes: { done: { params: { output: 1 }, type: "end@1" } } },
        null,
        2,
      )}\n`,
    );
    expect(`${(await here("definitions", "export", "a")).stdout}\n`).toBe(text);
    const all = await here("definitions", "export");
    const there = await oxbow(["definitions", "apply", "-", "--publish", "--json"], {
      env: { QUEUE_URL: elsewhere.url },
      stdin: all.stdout,
    });
    expect(documents(there)).toMatchObject([
      { name: "a", version: 1 },
      { name: "b", version: 1 },
    ]);
  });

  it("compares, restores, pauses, resumes, archives and deletes", async () => {
    const name = newDefinitionName();
    const folder = newFolder();
    await run("definitions", "apply", fileOf(folder, documentOf(name, "one")), "--publish");
    await run("definitions", "apply", fileOf(folder, documentOf(name, "two")));
    expect((await run("definitions", "diff", name)).stdout).toBe(
      '~ /nodes/done/params/output "one" → "two"',
    );
    await run("definitions", "publish", name);
    expect((await run("definitions", "diff", name, "--from", "2", "--to", "1")).stdout).toContain(
      '"two" → "one"',
    );
    expect(await run("definitions", "diff", name, "--from", "x")).toMatchObject({ code: 2 });
    expect((await run("definitions", "restore", name, "1")).stdout).toContain("as revision 3");
    expect(await run("definitions", "publish", name, "--revision", "2")).toMatchObject({ code: 6 });
    expect((await run("definitions", "pause", name, "--reason", "why")).stdout).toBe(
      `Paused definition ${name}.`,
    );
    expect(await run("definitions", "pause", name)).toMatchObject({ code: 6 });
    expect(await run("definitions", "start", name)).toMatchObject({ code: 6 });
    expect(await run("definitions", "resume", name)).toMatchObject({ code: 0 });
    expect(await run("definitions", "archive", name)).toMatchObject({ code: 0 });
    expect(await run("definitions", "delete", name)).toMatchObject({ code: 2 });
    expect(await run("definitions", "delete", name, "--yes")).toMatchObject({ code: 0 });
    expect(await run("definitions", "show", name)).toMatchObject({ code: 3 });
  });

  it("configures what is no part of a document", async () => {
    const name = newDefinitionName();
    await run("definitions", "apply", fileOf(newFolder(), documentOf(name)));
    const configure = (...options: string[]) => run("definitions", "configure", name, ...options);
    const given = ["--folder", "ops", "--scope", '{"org_id":"o1"}', "--pool", "eu", "--protect"];
    expect((await configure(...given)).stdout).toBe(`Configured ${name}.`);
    expect((await configure(...given)).stdout).toBe(`${name} was configured so already.`);
    const shown = async () => documents(await run("definitions", "show", name, "--json"))[0];
    expect(await shown()).toMatchObject({
      folder: "ops",
      scope: { org_id: "o1" },
      pool: "eu",
      isProtected: true,
    });
    await configure("--folder", "", "--scope", "null", "--pool", "", "--no-protect");
    expect(await shown()).toMatchObject({
      folder: null,
      scope: null,
      pool: "default",
      isProtected: false,
    });
    expect(await configure()).toMatchObject({ code: 2 });
    expect(await configure("--scope", "5")).toMatchObject({ code: 2 });
    expect(await run("definitions", "configure", "none", "--pool", "a")).toMatchObject({ code: 3 });
  });

  it("names a test run that has not ended, and deletes it", async () => {
    const name = newDefinitionName();
    await run("definitions", "apply", fileOf(newFolder(), documentOf(name)));
    const tested = await run("definitions", "test", name, "--wait", "100ms");
    const [, runId = ""] = /^Test run (\d+) of/.exec(tested.stderr) ?? [];
    expect(tested.code).not.toBe(0);
    expect(tested.stderr).toContain(`oxbow runs show ${runId}`);
    expect(tested.stderr).toContain("has not ended within 100 ms");
    expect(await run("definitions", "delete-test", name, runId)).toMatchObject({
      code: 0,
      stdout: `Deleted test run ${runId} of ${name}.`,
    });
    expect(await run("definitions", "delete-test", name, runId)).toMatchObject({ code: 3 });
  });

  it("works through a server as well", async () => {
    const own = await createDatabase();
    const server = await startTestServer(own);
    const through = oxbowOf(server.url);
    const file = fileOf(newFolder(), documentOf("d"));
    expect(documents(await through("definitions", "apply", file, "--publish", "--json"))).toEqual([
      { name: "d", outcome: "created", revision: 1, version: 1 },
    ]);
    expect(await through("definitions", "validate", "d")).toMatchObject({ code: 0 });
    expect(await through("definitions", "diff", "d")).toMatchObject({ code: 0, stdout: "" });
    expect((await through("definitions", "start", "d")).stdout).toMatch(/^Started run/);
  });
});
