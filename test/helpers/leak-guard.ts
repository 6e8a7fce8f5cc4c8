/**
 * Fails a test file that leaves something open: a connection to its database, a child process, a socket or a
 * listening server. A leak in a test is most often a `stop()` of the product that doesn't stop everything.
 */
import { afterAll } from "vitest";
import { eventually } from "./eventually.ts";
import { endFile } from "./file-end.ts";

// Names that Node gives to what keeps a process alive. Timers aren't among them: the test runner has its own.
const WATCHED = new Set(["ProcessWrap", "TCPSocketWrap", "TCPServerWrap"]);

/** Left open by files before, in a process that files share: a leak fails one file. */
const inherited = listOpen();

// A setup file's hook is the first to be registered, so it is the last to run.
afterAll(async () => {
  const leaks = [...(await endFile()), ...(await openResources())];
  if (leaks.length > 0) throw new Error(`This file leaves open:\n  ${leaks.join("\n  ")}`);
});

async function openResources(): Promise<readonly string[]> {
  try {
    // Sockets close a moment after they were told to.
    await eventually(opened, [], { withinMs: 10_000 });
    return [];
  } catch {
    return opened();
  }
}

/** Resources that the file has opened: of each kind those beyond the inherited ones. */
function opened(): string[] {
  const rest = [...inherited];
  return listOpen().filter((name) => {
    const index = rest.indexOf(name);
    if (index !== -1) rest.splice(index, 1);
    return index === -1;
  });
}

function listOpen(): string[] {
  return process.getActiveResourcesInfo().filter((name) => WATCHED.has(name));
}
