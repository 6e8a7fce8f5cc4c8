/**
 * Processes that execute commands of `oxbow` one after the other: to load the command takes 0.4 s of CPU,
 * and most commands a twentieth of that. They end with the test file.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { compiledFrom, MIRROR } from "./compiled.ts";
import { atFileEnd } from "./file-end.ts";
import type { HostedCommand, HostedEnd } from "./programs/command-host.ts";

const HOST = new URL("programs/command-host.ts", import.meta.url);
const EXECUTE = join(MIRROR, "server/dist/cli/execute.js");

type Execute = (command: HostedCommand) => Promise<HostedEnd>;

/** After that, a command may be waiting for what a later one does. */
const LONGEST_WAIT_MS = 500;

/** Those that execute nothing at the moment, and the commands that wait for one of them. */
const idle: Execute[] = [];
const waiting: ((execute: Execute) => void)[] = [];
let running = 0;

export async function executeByHost(command: HostedCommand): Promise<HostedEnd> {
  const execute =
    idle.pop() ?? (running === 0 ? undefined : await nextIdle()) ?? (await startHost());
  const end = await execute(command);
  const next = waiting.shift();
  if (next === undefined) idle.push(execute);
  else next(execute);
  return end;
}

function nextIdle(): Promise<Execute | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(take), 1);
      resolve(undefined);
    }, LONGEST_WAIT_MS);
    const take = (execute: Execute): void => {
      clearTimeout(timer);
      resolve(execute);
    };
    waiting.push(take);
  });
}

async function startHost(): Promise<Execute> {
  running += 1;
  const child = fork(compiledFrom(HOST) ?? "", [EXECUTE], {
    execArgv: [],
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const answer = async (): Promise<unknown> => {
    const [message] = (await Promise.race([
      once(child, "message"),
      ended.then(([code]) => {
        throw new Error(`The process of commands ended with ${String(code)}.`);
      }),
    ])) as [unknown];
    return message;
  };
  const execute: Execute = async (command) => {
    const answered = answer();
    child.send(command);
    return (await answered) as HostedEnd;
  };
  atFileEnd(async () => {
    if (idle.includes(execute)) idle.splice(idle.indexOf(execute), 1);
    running -= 1;
    child.kill("SIGKILL");
    await ended;
  });
  await answer();
  return execute;
}
