import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { documents, oxbow, oxbowOf } from "../helpers/command.ts";
import { createDatabase } from "../helpers/database.ts";
import { startTestServer } from "../helpers/server.ts";

const database = await createDatabase();
const run = oxbowOf(database.url);

const POST = {
  type: "slack.post@2",
  title: "Post to Slack",
  description: "Posts a message.",
  category: "Messages",
  params: {
    type: "object",
    required: ["channel"],
    properties: {
      channel: { type: "string", title: "Channel", examples: ["#a | b"] },
      times: { type: "integer", minimum: 1, maximum: 9, default: 1 },
    },
  },
  output: { type: "object", properties: { ts: { type: "string", description: "Its time." } } },
  handles: ["out"],
  effects: "writes",
  secrets: ["slack"],
  hasRollback: true,
};
const ODD = { type: "odd.one@1", params: { properties: { a: 5 } }, title: 7 };

const register = (pool: string, types: readonly unknown[]) =>
  database.query("select queue.node_types_register($1, $2)", [pool, JSON.stringify(types)]);

describe("oxbow catalog", () => {
  it("reports that no worker has registered", async () => {
    expect(await run("catalog", "list", "--pool", "none")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("No worker has registered node types") as string,
    });
  });

  it("lists trigger types", async () => {
    expect((await run("catalog", "triggers")).stderr).toContain(
      "No worker has declared trigger types.",
    );
    await database.query("select queue.trigger_declare('default', $1)", [
      JSON.stringify([{ name: "incident.updated", topic: "incident.*", loaded: ["severity"] }]),
    ]);
    const [table, json, other] = await Promise.all([
      run("catalog", "triggers"),
      run("catalog", "triggers", "--json"),
      run("catalog", "triggers", "--pool", "other"),
    ]);
    expect(table.stdout).toMatch(/^incident\.updated +default +incident\.\* +severity +\d/m);
    expect(documents(json)).toMatchObject([{ name: "incident.updated", loaded: ["severity"] }]);
    expect(other.stdout).toBe("");
  });

  describe("with node types", () => {
    beforeAll(async () => {
      await register("default", [POST, ODD]);
      await register("other", [POST]);
    });

    it("lists them, also through a server", async () => {
      const server = await startTestServer(database);
      for (const answer of [
        await run("catalog", "list"),
        await oxbow(["catalog", "list", "--url", server.url]),
      ]) {
        expect(answer.stderr).toBe("");
        expect(answer.stdout).toMatch(/^TYPE +POOL +TITLE +CATEGORY +EFFECTS +STATE +LAST SEEN\n/);
        expect(answer.stdout).toMatch(/^odd\.one@1 +default +odd\.one@1 +writes +served/m);
        expect(answer.stdout).toMatch(
          /^slack\.post@2 +other +Post to Slack +Messages +writes +served/m,
        );
      }
      const json = documents(await run("catalog", "list", "--pool", "other", "--json"));
      expect(json).toMatchObject([{ pool: "other", type: "slack.post", version: 2 }]);
    });

    it("prints their documentation", async () => {
      const { stdout } = await run("catalog", "docs", "slack.post");
      expect(stdout).toBe(
        [
          "## Post to Slack",
          "",
          "`slack.post@2`",
          "",
          "Posts a message.",
          "",
          "| parameter | is | |",
          "| --- | --- | --- |",
          "| `channel` | text | Channel. Required. Such as `#a \\| b`. |",
          "| `times` | whole number, 1 to 9 | Default: `1`. |",
          "",
          "- **Handles:** `out`",
          "- **Secrets:** `slack`; parameters may name them",
          "- **Rollback:** undoes the call when the run fails later",
          "- **Effects:** writes",
          "",
          "| output | is | |",
          "| --- | --- | --- |",
          "| `ts` | text | Its time. |",
        ].join("\n"),
      );
      expect((await run("catalog", "docs")).stdout).toContain("## odd.one@1");
      expect(await run("catalog", "docs", "slack.pots")).toMatchObject({ code: 3, stdout: "" });
    });

    it("are what documents in files are checked by, if a url is given", async () => {
      const folder = mkdtempSync(join(tmpdir(), "oxbow-catalog-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const file = join(folder, "document.json");
      const nodes = { a: { type: "slack.pots@2", params: {} } };
      writeFileSync(file, JSON.stringify({ format: 1, name: "checked", nodes }));
      expect(await oxbow(["definitions", "validate", file])).toMatchObject({ code: 0 });
      const checked = await oxbow(["definitions", "validate", file, "--url", database.url]);
      expect(checked.code).toBe(2);
      expect(checked.stdout).toContain('Did you mean "slack.post@2"?');
    });
  });
});
