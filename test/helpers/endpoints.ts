/** Functions of this process that a server pushes runs to, and their registration. */
import { createHandler, type HandlerOptions, toNodeHandler } from "@oxbow/sdk/http";
import type { Workflow } from "@oxbow/sdk/runtime";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestDatabase } from "./database.ts";
import { eventually } from "./eventually.ts";
import { atFileEnd } from "./file-end.ts";

export const SIGNING_KEY = "s".repeat(32);

export interface TestFunction {
  readonly url: string;
  /** Requests so far, by method. */
  readonly requests: Record<string, number>;
  /** Ends all connections, and refuses new ones. */
  readonly stop: () => Promise<void>;
}

/** Listens at a free port until the end of the file. */
export async function startFunction(
  workflows: readonly Workflow[],
  options: Partial<HandlerOptions> = {},
): Promise<TestFunction> {
  const handler = createHandler({
    workflows,
    signingKey: SIGNING_KEY,
    logger: false,
    maxDuration: "20s",
    ...options,
  });
  const listener = toNodeHandler(handler);
  return listen((request, response) => void listener(request, response));
}

/** Answers requests by a listener. @param port Default: a free one. */
export async function listen(listener: RequestListener, port = 0): Promise<TestFunction> {
  const requests: Record<string, number> = {};
  const server = createServer((request, response) => {
    const method = request.method ?? "";
    requests[method] = (requests[method] ?? 0) + 1;
    listener(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopped ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }));
  atFileEnd(stop);
  const address = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${address.port}/api/oxbow`, requests, stop };
}

export interface EndpointRow extends Record<string, unknown> {
  readonly endpoint_id: string;
  readonly url: string;
  readonly serves: Record<string, number[]>;
  readonly max_duration_ms: number | null;
  readonly checked_at: string | null;
  readonly last_error: string | null;
}

/** Adds an endpoint, without waiting for a check. */
export async function addEndpoint(
  database: TestDatabase,
  url: string,
  concurrency = 20,
): Promise<EndpointRow> {
  const [row] = await database.query<EndpointRow>("select * from queue.endpoint_add($1, $2)", [
    url,
    concurrency,
  ]);
  if (row === undefined) throw new Error("The endpoint was not added.");
  return row;
}

export async function readEndpoint(database: TestDatabase, url: string): Promise<EndpointRow> {
  const rows = await database.query<EndpointRow>("select * from queue.endpoints()");
  const found = rows.find((row) => row.url === url);
  if (found === undefined) throw new Error(`There is no endpoint ${url}.`);
  return found;
}

/** Adds an endpoint, and waits until a server has checked it. */
export async function registerEndpoint(
  database: TestDatabase,
  url: string,
  concurrency = 20,
): Promise<EndpointRow> {
  await addEndpoint(database, url, concurrency);
  return eventually(
    () => readEndpoint(database, url),
    ({ checked_at, last_error }) => checked_at !== null && last_error === null,
  );
}
