import { describe, expect, it } from "vitest";
import { OXBOW } from "../helpers/command.ts";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";
import { VERSION } from "../helpers/version.ts";

async function oxbow(...args: string[]): Promise<{ code: number | null; output: string }> {
  const command = startWorkerProcess(OXBOW, { args, env: { QUEUE_URL: "" } });
  const { code } = await command.end();
  return { code, output: command.output.join("\n") };
}

async function setup(): Promise<TestDatabase> {
  return createDatabase({ empty: true });
}

describe("oxbow migrate", () => {
  it("installs, and reports what it did", async () => {
    const { url } = await setup();
    expect(await oxbow("migrate", "--url", url, "--dry-run")).toMatchObject({
      code: 0,
      output: expect.stringContaining(`Dry run, nothing was changed: Installed Oxbow ${VERSION}, `),
    });
    expect((await oxbow("migrate", "--url", url, "--dry-run")).output).toMatch(
      /^0001_queue +\d\.\d KiB +The registry of queues, and the deduplication ids of FIFO queues$/m,
    );
    expect(await oxbow("migrate", "--url", url)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^Installed Oxbow [\d.]+, \d+ migrations applied\.$/),
    });
    expect(await oxbow("migrate", "--url", url)).toEqual({
      code: 0,
      output: `Oxbow ${VERSION} is up to date.`,
    });
  });

  it("fails with one sentence and what to do", async () => {
    const database = await setup();
    const { url } = database;
    expect(await oxbow("migrate")).toEqual({
      code: 1,
      output:
        "oxbow: No database: give --url postgres://..., set QUEUE_URL or DATABASE_URL, or run `oxbow dev` in this folder.",
    });
    expect(await oxbow("migrate", "--url", "postgres://127.0.0.1:1/none")).toEqual({
      code: 1,
      output: "oxbow: connect ECONNREFUSED 127.0.0.1:1.",
    });
    await database.query("create schema queue create table job (id int)");
    expect(await oxbow("migrate", "--url", url)).toEqual({
      code: 1,
      output:
        'oxbow: schema "queue" exists, but is not Oxbow\'s. ' +
        "Rename that schema, or install Oxbow into another database.",
    });
  });
});

describe("oxbow doctor", () => {
  it("fails before the installation, and prints the command to run", async () => {
    const { url } = await setup();
    const { code, output } = await oxbow("doctor", "--url", url);
    expect(code).toBe(1);
    expect(output).toContain("FAIL  Oxbow is not installed: run `oxbow migrate`.");
  });

  it("finds the installation, and that the tests' server isn't durable", async () => {
    const { url } = await createDatabase();
    const { code, output } = await oxbow("doctor", "--url", url);
    expect(code).toBe(1);
    expect(output).toContain(`ok    Oxbow ${VERSION}, installed by script.`);
    expect(output).toContain("FAIL  fsync is off");
    expect(output).toContain("ok    All invariants hold.");
  });
});
