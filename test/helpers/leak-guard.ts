/**
 * Fails a test file that leaves something open: a connection to its database, a child process, a socket or a
 * listening server. A leak in a test is most often a `stop()` of the product that doesn't stop everything.
 */
import { afterAll } from "vitest";
import { eventually } from "./eventually.ts";
import { endFile } from "./file-end.ts";

// Names that Node gives to what keeps a process alive. Timers aren't among them: the test runner has its own.
const WATCHED = new Set(["ProcessWrap", "TCPSocketWrap", "TCPServerWrap"]);

// A setup file's hook is the first to be registered, so it is the last to run.
afterAll(async () => {
  const leaks = [...(await endFile()), ...(await openResources())];
  if (leaks.length > 0) throw new Error(`This file leaves open:\n  ${leaks.join("\n  ")}`);
});

async function openResources(): Promise<readonly string[]> {
  try {
    // Sockets close a moment after the call.
    await eventually(listOpen, (open) => open.length === 0, { withinMs: 2000 });
    return [];
  } catch {
    return listOpen();
  }
}

function listOpen(): string[] {
  return process.getActiveResourcesInfo().filter((name) => WATCHED.has(name));
}
