/** Each example prints the output in its last comment. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const EXAMPLES = new URL("../../examples/", import.meta.url);
const MAX_LINES = 80;

const files = readdirSync(EXAMPLES).filter((name) => /^\d\d-.*\.ts$/.test(name));

describe("the examples", () => {
  it.concurrent.each(files)("%s prints its expected output", async (file) => {
    const { url } = await createDatabase();
    const example = startWorkerProcess(new URL(file, EXAMPLES), { env: { QUEUE_URL: url } });
    const { code } = await example.end();
    // The log of failing steps and runs is on standard error.
    const printed = example.output.filter((line) => !/^oxbow: (step|run) /.test(line));
    expect(printed).toEqual(expectedOutput(file));
    expect(code).toBe(0);
  });

  it.each(files)("%s is short, and in the index", (file) => {
    expect(read(file).trimEnd().split("\n").length).toBeLessThanOrEqual(MAX_LINES);
    expect(read("README.md")).toContain(`(${file})`);
  });
});

/** The comment at the end of the file, below `// Output:`. */
function expectedOutput(file: string): string[] {
  const [, output] = read(file).split("\n// Output:\n");
  if (output === undefined) throw new Error(`${file} does not end with "// Output:".`);
  return output
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^\/\/ ?/, ""));
}

function read(name: string): string {
  return readFileSync(new URL(name, EXAMPLES), "utf8");
}
