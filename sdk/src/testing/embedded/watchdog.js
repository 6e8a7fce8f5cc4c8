/**
 * Runs one Postgres server for a parent process, and ends it when the parent is gone.
 *
 * A separate process, because a parent that is killed can't clean up. The IPC channel is the lifeline: the
 * operating system closes it however the parent ends, and no other process inherits it. Promises:
 *   W1  The server ends with the parent, whether that exits, crashes or is killed.
 *   W2  The directories given as arguments are removed once the server has ended.
 *
 * Plain JavaScript, so that node can run it from the source and from the build alike. `supervisor.ts` is the
 * other end of the channel and documents the messages.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync, rmSync } from "node:fs";

const GRACE_MS = 5000;
const temporaryDirs = process.argv.slice(2);

/** @type {import("node:child_process").ChildProcess | undefined} */
let server;

process.on("message", (/** @type {import("./supervisor.ts").Order} */ order) => {
  if (order.kind === "start") start(order);
  else server?.kill(order.signal);
});
process.on("disconnect", end);
process.on("SIGTERM", end);
// A parent that gave up at once is gone before the listener exists.
if (!process.connected) end();

/** @param {import("./supervisor.ts").StartOrder} order */
function start({ command, args, cwd, env, user, logFile }) {
  const log = openSync(logFile, "a");
  server = spawn(command, args, { cwd, env, ...user, stdio: ["ignore", log, log] });
  closeSync(log);
  server.once("spawn", () => report({ kind: "started", pid: Number(server?.pid) }));
  server.once("error", (error) => {
    // Without a process there is no "exit".
    if (server?.pid === undefined) server = undefined;
    report({ kind: "exited", reason: error.message });
  });
  server.once("exit", (code, signal) => {
    server = undefined;
    report({ kind: "exited", reason: signal ?? `exit code ${code}` });
  });
}

/** @param {import("./supervisor.ts").Report} message */
function report(message) {
  // A parent that has gone since is handled by "disconnect".
  if (process.connected) process.send?.(message, () => {});
}

function end() {
  if (server === undefined) leave();
  else abort(server);
}

/** @param {import("node:child_process").ChildProcess} running */
function abort(running) {
  running.once("exit", leave);
  // The data will not be used again, so it needn't be written out. A server with data to keep recovers it.
  running.kill("SIGQUIT");
  setTimeout(() => {
    running.kill("SIGKILL");
  }, GRACE_MS);
}

function leave() {
  for (const directory of temporaryDirs) {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
  process.exit();
}
