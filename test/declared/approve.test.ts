/** Nodes that ask people: on a real worker, straight to the database and through a server. */
import { type DeclaredWorkflow, type Json, workflowOf } from "@oxbow/declared";
import type { Approval } from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const RESULT = { timeout: "60s" } as const;

const bench = await setupWorkflows();

let made = 0;

/** A workflow that asks, and returns the handle and the output of the node. */
function asking(params: Readonly<Record<string, Json>>): DeclaredWorkflow {
  made += 1;
  const end = (handle: string) => ({
    type: "end@1",
    params: { output: { handle, output: { $path: "nodes.review.output", default: null } } },
  });
  return workflowOf({
    format: 1,
    name: `asking-${made}`,
    nodes: {
      review: {
        type: "approve@1",
        params: { title: { $text: "Ship {{ input.id }}?" }, ...params },
      },
      approved: end("approved"),
      rejected: end("rejected"),
      timeout: end("timeout"),
    },
    edges: ["approved", "rejected", "timeout"].map((on) => ({ from: "review", on, to: on })),
  });
}

const requestsOf = async (runId: string): Promise<readonly Approval[]> => {
  for await (const { approvals } of bench.client.approvals.list({ runId })) return approvals;
  return [];
};

/** The request of a run that waits. */
const requestOf = async (runId: string): Promise<Approval> => {
  const [approval] = await eventually(
    () => requestsOf(runId),
    (found) => found[0]?.status === "waiting",
  );
  if (approval === undefined) throw new Error("The run asks nothing.");
  return approval;
};

async function start(params: Readonly<Record<string, Json>> = {}) {
  const workflow = asking(params);
  bench.serve([workflow]);
  return bench.client.start(workflow, { id: 7 });
}

describe("approve@1", () => {
  it("asks, and takes the handle of the decision", async () => {
    const form = { type: "object", properties: { why: { type: "string" } } };
    const run = await start({ description: "It is large.", form, approvers: ["ada"], quorum: 2 });
    const approval = await requestOf(run.runId);
    expect(approval).toMatchObject({
      runId: run.runId,
      workflow: `asking-${made}`,
      step: "review",
      title: "Ship 7?",
      description: "It is large.",
      form,
      approvers: ["ada"],
      quorum: 2,
      rejections: 1,
      expiresAt: null,
    });
    expect(await bench.client.runs.explain(run.runId)).toMatchObject({ cause: "approval" });
    const { approvals } = bench.client;
    const outcome = await approvals.decide(approval.id, "rejected", {
      actor: "ada",
      values: { why: "too large" },
    });
    expect(outcome).toBe("delivered");
    expect(await run.result(RESULT)).toEqual({
      handle: "rejected",
      output: {
        decision: "rejected",
        actor: "ada",
        values: { why: "too large" },
        decisions: [
          {
            actor: "ada",
            decision: "rejected",
            values: { why: "too large" },
            at: expect.any(String),
          },
        ],
      },
    });
    expect(await approvals.get(approval.id)).toMatchObject({ status: "rejected" });
    expect(await bench.violations()).toEqual([]);
  });

  it("takes timeout, and the request expires", async () => {
    const run = await start({ timeout: "300ms" });
    expect(await run.result(RESULT)).toEqual({ handle: "timeout", output: null });
    const [approval] = await requestsOf(run.runId);
    expect(approval).toMatchObject({ status: "expired", endedAt: expect.any(Date) });
    expect(await bench.client.approvals.decide(approval?.id ?? "", "approved")).toBe("expired");
  });

  it("withdraws its request when the run is cancelled", async () => {
    const run = await start();
    const { id } = await requestOf(run.runId);
    await run.cancel();
    expect(await bench.client.approvals.get(id)).toMatchObject({ status: "withdrawn" });
  });

  it("fails by a request that can't be made", async () => {
    const run = await start({ approvers: { $path: "input.id" } as Json });
    await expect(run.result(RESULT)).rejects.toMatchObject({
      cause: { message: expect.stringContaining("approvers are no list of names") },
    });
    expect(await requestsOf(run.runId)).toEqual([]);
  });

  it("that loses a race is withdrawn while its run continues", async () => {
    made += 1;
    const workflow = workflowOf({
      format: 1,
      name: `racing-${made}`,
      nodes: {
        review: { type: "approve@1", params: { title: "Ship?" } },
        event: { type: "wait@1", params: { event: "go" } },
        first: { type: "set@1", join: "any", params: { value: 1 } },
        last: { type: "wait@1", params: { event: "end" } },
      },
      edges: [
        { from: "review", on: "approved", to: "first" },
        { from: "event", on: "received", to: "first" },
        { from: "first", to: "last" },
      ],
    });
    bench.serve([workflow]);
    const run = await bench.client.start(workflow, {});
    const { id } = await requestOf(run.runId);
    await run.signal("go", {});
    await eventually(() => bench.client.approvals.get(id), { status: "withdrawn" });
    expect(await bench.client.approvals.decide(id, "approved")).toBe("expired");
    await run.signal("end", {});
    await run.result(RESULT);
    expect(await bench.violations()).toEqual([]);
  });

  it("asks once for each iteration of a loop", async () => {
    made += 1;
    const workflow = workflowOf({
      format: 1,
      name: `each-${made}`,
      nodes: {
        loop: {
          type: "for_each@1",
          params: {
            items: { $path: "input.items" },
            collect: { $path: "nodes.review.output.decision" },
          },
        },
        review: {
          parent: "loop",
          type: "approve@1",
          params: { title: { $text: "{{ item }}?" } },
        },
        end: { type: "end@1", params: { output: { $path: "nodes.loop.output.results" } } },
      },
      edges: [{ from: "loop", to: "end" }],
    });
    bench.serve([workflow]);
    const run = await bench.client.start(workflow, { items: ["a", "b", "c"] });
    const found = await eventually(() => requestsOf(run.runId), { length: 3 });
    for (const { id, title } of found) {
      await bench.client.approvals.decide(id, title === "b?" ? "rejected" : "approved");
    }
    expect(await run.result(RESULT)).toEqual(["approved", "rejected", "approved"]);
  });

  it("is decided again in a rerun from its node, and not in one from a later node", async () => {
    const run = await start();
    const { id } = await requestOf(run.runId);
    await bench.client.approvals.decide(id, "approved", { actor: "ada" });
    await run.result(RESULT);
    const again = await bench.client.runs.rerun(run.runId, { fromStep: "review" });
    const { id: second } = await requestOf(again.runId);
    expect(second).not.toBe(id);
    await bench.client.approvals.decide(second, "rejected", { actor: "ada" });
    expect(await again.result(RESULT)).toMatchObject({ handle: "rejected" });
  });
});
