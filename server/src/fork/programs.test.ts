import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPrograms } from "./programs.ts";

const URL_WITH_PASSWORD = "postgres://shop:secret-word@db/shop";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "programs-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The error of `pg_dump` that is this script, with all that a log would show of it. */
async function errorOf(name: string, script: string, mode = 0o755): Promise<string> {
  const path = join(folder, name);
  writeFileSync(path, script);
  chmodSync(path, mode);
  const programs = findPrograms(17, folder);
  const error: unknown = await programs(name, [URL_WITH_PASSWORD]).catch((each: unknown) => each);
  return inspect(error, { depth: 10, showHidden: true });
}

describe("the error of a program that failed", () => {
  it("is what it printed", async () => {
    const error = await errorOf("talks", "#!/bin/sh\necho 'no such table' >&2\nexit 1\n");
    expect(error).toContain("talks failed: no such table");
    expect(error).not.toContain("secret-word");
  });

  it.each([
    ["silent", "#!/bin/sh\nexit 3\n", 0o755, "silent failed: it printed no error, and returned 3"],
    ["killed", "#!/bin/sh\nkill -9 $$\n", 0o755, "killed failed: it was ended by SIGKILL"],
    ["forbidden", "#!/bin/sh\n", 0o644, "forbidden failed: it didn't run to its end (EACCES)"],
  ])("says how it ended, without its arguments, if it was %s", async (name, script, mode, said) => {
    const error = await errorOf(name, script, mode);
    expect(error).toContain(said);
    expect(error).not.toContain("secret-word");
  });
});

it("a program gets the password of a url by its environment, and not among its arguments", async () => {
  const path = join(folder, "shows");
  writeFileSync(path, '#!/bin/sh\necho "$@ $PGPASSWORD"\n');
  chmodSync(path, 0o755);
  const programs = findPrograms(17, folder);
  expect(await programs("shows", ["--file", "x", "postgres://shop:p%40ss@db,other/shop"])).toBe(
    "--file x postgres://shop@db,other/shop p@ss\n",
  );
  expect(await programs("shows", ["postgres://shop@db/a:b@c"])).toContain("shop@db/a:b@c");
});
