import { createWorkflowClient, InvalidArgument, type WorkflowClient } from "@oxbow/sdk";
import { expect, it } from "vitest";
import { definitionsOf } from "./definitions-of.ts";

it("refuses an object that is no client of this copy of the SDK", () => {
  for (const other of [{}, Object.create(definitionsOf)] as WorkflowClient[]) {
    expect(() => definitionsOf(other)).toThrow(InvalidArgument);
    expect(() => definitionsOf(other)).toThrow("createWorkflowClient()");
  }
});

it("refuses an option that it doesn't know", async () => {
  await using client = createWorkflowClient({ url: "postgres://127.0.0.1:1/none" });
  const options = { definitionTools: {} } as object;
  expect(() => definitionsOf(client, options)).toThrow(InvalidArgument);
});
