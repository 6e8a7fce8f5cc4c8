import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { RunCommit } from "../protocol/commit.ts";
import { LEASES_HEADER, LeaseTokenKeys } from "../protocol/lease-token.ts";
import { LeaseTransport } from "./lease-transport.ts";

const commit = (receipt: string): RunCommit => ({
  workflow: "w",
  runId: `run ${receipt}`,
  receipt,
  journaled: 0,
  known: {},
  steps: [],
  transition: { kind: "keep" },
  restartsCount: false,
});

/** A server that commits run 2, and keeps each request's path, its tokens, and what its body names. */
async function connect() {
  const asked: { path: string; tokens: string[]; named: unknown }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on("end", () => {
      const body = JSON.parse(text) as Record<string, unknown>;
      const { authorization = "", [LEASES_HEADER]: others } = request.headers;
      asked.push({
        path: request.url ?? "",
        tokens: [authorization, ...(others === undefined ? [] : [String(others)])],
        named: body["receipts"] ?? body["reports"],
      });
      const result = { runId: "run 2", receipt: "2", outcome: "ok", resolved: [] };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ results: [result], notices: [] }));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const transport = new LeaseTransport(`http://127.0.0.1:${port}`);
  onTestFinished(() => {
    transport.close();
    server.close();
  });
  return { transport, asked };
}

it("asks nothing about a run whose request is over, so that others keep their leases", async () => {
  const { transport, asked } = await connect();
  for (const receipt of ["1", "2", "3"]) transport.open(`run ${receipt}`, receipt, `t${receipt}`);
  for (const receipt of ["1", "3"]) transport.end(`run ${receipt}`, receipt);

  const { worker } = transport;
  expect(await worker.commit(["1", "2", "3"].map(commit))).toMatchObject([
    { runId: "run 1", receipt: "1", outcome: "lost" },
    { runId: "run 2", receipt: "2", outcome: "ok" },
    { runId: "run 3", receipt: "3", outcome: "lost" },
  ]);
  const claims = ["1", "2"].map((receipt) => ({ receipt }));
  expect(await worker.heartbeat(claims, 1_000)).toMatchObject([{ receipt: "1", outcome: "lost" }]);
  expect(await worker.heartbeat([{ receipt: "3" }], 1_000)).toHaveLength(1);
  const reports = ["2", "3"].map((receipt) => ({ receipt, steps: [] }));
  await worker.reportProgress("a function", reports);
  const tokens = ["Bearer t2"];
  expect(asked).toEqual([
    { path: "/v1/worker/commit", tokens, named: undefined },
    { path: "/v1/worker/heartbeat", tokens, named: ["2"] },
    { path: "/v1/worker/progress", tokens, named: [{ receipt: "2", steps: [] }] },
  ]);
});

it("sends headers that proxies accept, however many runs share a request", async () => {
  const { transport, asked } = await connect();
  const keys = new LeaseTokenKeys(["k".repeat(32)]);
  const receipts = Array.from({ length: 100 }, (_, index) => String(9e18 + index * 1e6));
  for (const receipt of receipts) {
    const token = await keys.sign({ runId: receipt, receipt, expiresAt: new Date() });
    transport.open(receipt, receipt, token);
  }
  await transport.worker.heartbeat(
    receipts.map((receipt) => ({ receipt })),
    1_000,
  );
  expect(asked.flatMap(({ named }) => named)).toEqual(receipts);
  for (const header of asked.flatMap(({ tokens }) => tokens)) {
    expect(header.length).toBeLessThan(8_000);
  }
});
