/** Processes of a benchmark, which end when this one disconnects from them. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Starts a process. Resolves when it has sent its first message, which says that it is ready. */
export async function startChild(
  script: URL,
  args: readonly string[],
  flags: readonly string[] = [],
): Promise<ChildProcess> {
  const child = fork(fileURLToPath(script), args, { execArgv: ["--import", "tsx", ...flags] });
  await once(child, "message");
  return child;
}

/** Sends a message to a process. Resolves with its answer. */
export async function ask<Answer>(child: ChildProcess, message: object): Promise<Answer> {
  const answered = once(child, "message");
  child.send(message);
  const [answer] = (await answered) as [Answer];
  return answer;
}
