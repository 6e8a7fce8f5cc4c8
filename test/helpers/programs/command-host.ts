/**
 * Executes commands of `oxbow` in one process, one at a time, each with its own environment, folder and streams. The
 * argument is the path of the module that executes. A command that leaves something open fails, since it would keep its
 * process alive.
 */
import { Console } from "node:console";
import { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

export interface HostedCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: string;
}

export interface HostedEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const CLOSED_WITHIN_MS = 20_000;

const { execute } = (await import(pathToFileURL(process.argv[2] ?? "").href)) as {
  execute: (args: readonly string[]) => Promise<void>;
};

class Collected extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

function replace(name: "stdin" | "stdout" | "stderr", stream: Readable | Writable): void {
  Object.defineProperty(process, name, { value: stream, configurable: true });
}

async function carryOut({ args, env, cwd, stdin }: HostedCommand): Promise<HostedEnd> {
  const [stdout, stderr] = [new Collected(), new Collected()];
  process.env = { ...env };
  process.chdir(cwd);
  process.exitCode = 0;
  replace("stdin", Readable.from(stdin === "" ? [] : [Buffer.from(stdin)]));
  replace("stdout", stdout);
  replace("stderr", stderr);
  globalThis.console = new Console({ stdout, stderr });
  const before = process.getActiveResourcesInfo();
  await execute(args);
  const left = await leftOpen(before);
  if (left.length > 0) stderr.write(`The process would not end: ${left.join(", ")}\n`);
  return { code: left.length > 0 ? 1 : process.exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** Returns the resources that would keep a process alive. Sockets close a moment after `end()`. */
async function leftOpen(before: readonly string[]): Promise<readonly string[]> {
  const until = performance.now() + CLOSED_WITHIN_MS;
  for (;;) {
    const rest = [...before];
    const left = process.getActiveResourcesInfo().filter((name) => {
      const index = rest.indexOf(name);
      if (index !== -1) rest.splice(index, 1);
      return index === -1;
    });
    if (left.length === 0 || performance.now() > until) return left;
    await pause(2);
  }
}

let last: Promise<unknown> = Promise.resolve();
process.on("message", (command: HostedCommand) => {
  last = last.then(async () => process.send?.(await carryOut(command)));
});
process.send?.("ready");
