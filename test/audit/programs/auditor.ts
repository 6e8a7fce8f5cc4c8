/**
 * The auditor: a separate process with its own store. It records what clients and workers report, and at the end of a
 * trial reads the database to check that the promises were kept. Argument: file of the store.
 *
 * Lines in: `{id?, entry}` is stored, and acknowledged by its id when it is; `{id, audit}` is answered by the verdict.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { audit } from "../promises/audit.ts";
import { type AuditRequest, readFacts } from "../promises/facts.ts";
import type { Entry } from "../record.ts";

interface Line {
  readonly id?: number;
  readonly entry?: Entry;
  readonly audit?: AuditRequest;
  /** The auditor ends with this connection, and all processes that report to it end with the auditor. */
  readonly isOwner?: boolean;
}

const store = openSync(process.argv[2] ?? "", "a");
const trials = new Map<string, Entry[]>();

function keep(entry: Entry): void {
  writeSync(store, `${JSON.stringify(entry)}\n`);
  const entries = trials.get(entry.trial);
  if (entries === undefined) trials.set(entry.trial, [entry]);
  else entries.push(entry);
}

async function judge(request: AuditRequest): Promise<object> {
  const entries = trials.get(request.trial) ?? [];
  const facts = await readFacts(request);
  return {
    ...audit(entries, facts, request),
    ...(request.verbose === true ? { entries, facts } : {}),
  };
}

/** Undefined where a process was killed in the middle of its line. */
function parse(line: string): Line | undefined {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return undefined;
  }
}

async function take(line: string, socket: Socket): Promise<void> {
  const { id, entry, audit: request, isOwner } = parse(line) ?? {};
  if (entry !== undefined) {
    keep(entry);
    if (id !== undefined) socket.write(`${id}\n`);
  }
  if (isOwner === true) socket.on("close", () => process.exit(0));
  if (request !== undefined) {
    const answer = await judge(request).catch((error: unknown) => ({ error: String(error) }));
    socket.write(`${JSON.stringify(answer)}\n`);
  }
}

const server = createServer((socket) => {
  const lines = createInterface(socket);
  // A process that is killed resets its connection.
  for (const one of [socket, lines]) one.on("error", () => {});
  lines.on("line", (line) => void take(line, socket));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`listening ${typeof address === "object" ? address?.port : 0}\n`);
});
process.on("SIGTERM", () => {
  closeSync(store);
  process.exit(0);
});
