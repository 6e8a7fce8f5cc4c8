import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { RunCommit } from "../protocol/commit.ts";
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

it("asks nothing about a run whose request is over, so that others keep their leases", async () => {
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on("end", () => {
      const body = JSON.parse(text) as Record<string, unknown>;
      const { authorization, "oxbow-leases": others } = request.headers;
      asked.push([request.url, authorization, others, body["receipts"] ?? body["reports"]]);
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
  expect(asked).toEqual([
    ["/v1/worker/commit", "Bearer t2", undefined, undefined],
    ["/v1/worker/heartbeat", "Bearer t2", undefined, ["2"]],
    ["/v1/worker/progress", "Bearer t2", undefined, [{ receipt: "2", steps: [] }]],
  ]);
});
