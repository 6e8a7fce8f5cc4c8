/** What `.ci/run` does with its parts, shown with programs that only pretend to be them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "./eventually.ts";

const RUN = fileURLToPath(new URL("../../.ci/run", import.meta.url));
const HAS_POSTGRES_15 = existsSync("/usr/lib/postgresql/15/bin/postgres");

/** Starts `.ci/run` over other programs, each given as its lines of shell. */
function start(programs: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "oxbow-ci-of-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, lines] of Object.entries({ "apt-get": "", npm: "", ...programs })) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${lines}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const child = spawn(RUN, {
    env: { ...process.env, TMPDIR: folder, PATH: [folder, process.env["PATH"]].join(delimiter) },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = Promise.all([text(child.stdout), once(child, "close")]).then(([output]) => ({
    code: child.exitCode,
    lines: output.trimEnd().split("\n"),
  }));
  return { child, folder, ended };
}

describe.runIf(process.platform === "linux")(".ci/run", () => {
  it("every part runs, though others fail, and all are summed up", async () => {
    const { ended } = start({
      make: `case "$1" in
        test) echo "40 passed, 2 failed"; echo "make: Error"; exit 2 ;;
        test-http) echo "7 passed, 0 failed" ;;
        test-rest) echo "8 passed, 0 failed" ;;
        *) exit 3 ;;
        esac`,
      npx: 'echo "7 passed, 0 failed"',
    });
    const { code, lines } = await ended;
    expect(code).toBe(1);
    // The installation and the absence of leftovers pass, the lint fails.
    expect(lines.at(-1)).toBe(`${HAS_POSTGRES_15 ? 64 : 57} passed, 3 failed`);
    expect(lines.find((line) => line.startsWith("lint "))).toMatch(/ 0 passed +1 failed/);
    expect(lines.find((line) => line.startsWith("the code "))).toMatch(/ 40 passed +2 failed/);
    expect(lines.find((line) => line.startsWith("PG 15, server "))).toMatch(
      HAS_POSTGRES_15 ? / 14 passed +0 failed/ : / 7 passed +0 failed/,
    );
  });

  it("what failed is repeated at the end, where a log that was cut still has it", async () => {
    const { ended } = start({
      make: `case "$1" in
        lint) echo "unused export"; exit 1 ;;
        test) echo "⎯⎯ Failed Tests 1 ⎯⎯"; echo " FAIL  a test"; echo "0 passed, 1 failed"; exit 1 ;;
        *) for i in $(seq 200); do echo "a test that passes"; done; echo "1 passed, 0 failed" ;;
        esac`,
      npx: 'echo "7 passed, 0 failed"',
    });
    const { lines } = await ended;
    const end = lines.slice(-30);
    expect(end).toContain("== lint failed");
    expect(end).toContain("unused export");
    expect(end).toContain("== the code failed");
    expect(end).toContain(" FAIL  a test");
  });

  it("a process that is left behind fails it, and is ended", async () => {
    const { folder, ended } = start({
      make: `[ "$1" = lint ] || sleep 600 >/dev/null 2>&1 & echo $! >"$(dirname "$0")/pid-$1"`,
      npx: "exit 0",
    });
    const { code, lines } = await ended;
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatch(/^\d+ passed, 1 failed$/);
    await hasEnded(folder, "pid-test");
  });

  it("cut short, it fails, and ends what it has started", async () => {
    const { child, folder, ended } = start({
      make: `echo $$ >"$(dirname "$0")/pid-$1"; exec sleep 600`,
      npx: "exit 0",
    });
    await eventually(() => isAlive(folder, "pid-lint"), true);
    child.kill("SIGTERM");
    const { code, lines } = await ended;
    expect(code).not.toBe(0);
    expect(lines.at(-1)).toMatch(/^1 passed, 1 failed$/);
    await hasEnded(folder, "pid-lint");
  });
});

/** @param file holds the id of the process */
function isAlive(folder: string, file: string): boolean {
  const pid = readFileSync(join(folder, file), "utf8").trim();
  try {
    // It is empty for a process that has ended and whose parent hasn't asked.
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
  } catch {
    return false;
  }
}

const hasEnded = (folder: string, file: string): Promise<boolean> =>
  eventually(
    () => isAlive(folder, file),
    (alive) => !alive,
  );
