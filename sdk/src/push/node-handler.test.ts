import { createServer, request, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { workflow } from "../worker/serve.ts";
import { createHandler } from "./handler.ts";
import { type NodeRequest, toNodeHandler } from "./node-handler.ts";

const MEBIBYTE = Buffer.alloc(1024 * 1024, 32);
const KEY = "k".repeat(32);

/** Returns the port of a server that listens until the test is over. */
async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

it("a body over the limit whose length is unknown is read to its end, and refused", async () => {
  const idle = workflow({ name: "idle", run: () => Promise.resolve() });
  const listener = toNodeHandler(createHandler({ workflows: [idle], signingKey: KEY }));
  const port = await listen((asked, answer) => void listener(asked, answer));
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", method: "POST", agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on("error", reject);
    for (let part = 0; part < 20; part += 1) sent.write(MEBIBYTE);
    sent.end();
  });
  expect(status).toBe(413);
});

it("the first requests share commits, though they arrive together", async () => {
  let commits = 0;
  const server = await listen((asked, answer) => {
    void json(asked).then((body) => {
      const { items = [] } = body as { items?: readonly { runId: string; receipt: string }[] };
      const results = items.map((item) => ({ ...item, outcome: "ok", resolved: [] }));
      commits += Math.min(1, items.length);
      answer.setHeader("content-type", "application/json");
      answer.end(JSON.stringify({ results, notices: [] }));
    });
  });
  const runIds = ["1", "2", "3", "4", "5"];
  let arrived = 0;
  let meet = (): void => {};
  const all = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const meeting = workflow({
    name: "meeting",
    run: ({ step }) =>
      step.run("meet", () => {
        arrived += 1;
        if (arrived === runIds.length) meet();
        return all;
      }),
  });
  const listener = toNodeHandler(createHandler({ workflows: [meeting], logger: false }));
  const answers = await Promise.all(
    runIds.map(async (runId) => {
      let answer = "";
      const response = {
        statusCode: 0,
        setHeader: () => {},
        end: (body: string) => (answer = body),
      };
      await listener(pushOf(runId, server), response);
      return JSON.parse(answer) as unknown;
    }),
  );
  expect(answers).toEqual(runIds.map(() => ({ outcome: "ended" })));
  expect(commits).toBeLessThan(runIds.length);
});

/** A request that pushes a run, which commits to the server at this port. */
function pushOf(runId: string, port: number): NodeRequest {
  const now = Date.now();
  const push = {
    protocol: 1,
    ageMs: 1,
    leaseMs: 30_000,
    budgetMs: 10_000,
    sentAt: now,
    delivery: {
      runId,
      receipt: runId,
      name: "meeting",
      version: 1,
      attempt: 1,
      journal: [],
      continuation: { waits: [], retries: [] },
      receivedAt: now,
      startedAt: now,
    },
    commit: { url: `http://127.0.0.1:${port}`, token: "oxlease_x" },
  };
  return {
    method: "POST",
    headers: { host: "localhost" },
    rawBody: JSON.stringify(push),
    [Symbol.asyncIterator]: () => {
      throw new Error("The body was read before.");
    },
  };
}
