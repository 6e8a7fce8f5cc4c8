import { readdirSync, readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { WorkerProcess } from "./worker-process.ts";

/** The command lines of this process's children, as all users of the machine see them. */
const childCommands = (): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const parent = /\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return parent === String(process.pid) ? [command] : [];
      } catch {
        return []; // It has ended meanwhile.
      }
    });

it.runIf(process.platform === "linux")(
  "keeps the password out of the list of processes",
  async () => {
    const ignore = (): void => {};
    const worker = new WorkerProcess({
      url: "postgres://ada:very-secret@127.0.0.1:1/shop",
      files: [],
      env: process.env,
      onServing: ignore,
      onFailed: ignore,
      onRestart: ignore,
    });
    onTestFinished(() => worker.stop());
    worker.start();
    const commands = (): string[] =>
      childCommands().filter((command) => command.includes("worker-main"));
    // A process that has just been started may have no command line yet.
    await expect.poll(commands, { timeout: 60_000 }).toHaveLength(1);
    expect(commands().join()).not.toContain("very-secret");
  },
);
