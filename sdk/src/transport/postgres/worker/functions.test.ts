import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { RELAY_PROTOCOL } from "../../../protocol/relay.ts";
import { workflowCommit, workflowReceive } from "./functions.ts";

/** If it fails, increase the number of `RELAY_PROTOCOL`: workers write these arguments, and read these columns, for a server that may be of another version. */
it("calls the functions of a worker as the relay protocol of this number says", () => {
  const texts = [workflowReceive.text, workflowCommit.text].join();
  const digest = createHash("sha256").update(texts.replaceAll(/\s+/g, " ")).digest("hex");
  expect({ [RELAY_PROTOCOL]: digest.slice(0, 16) }).toMatchInlineSnapshot(`
    {
      "oxbow-relay.1": "c675462191e2a111",
    }
  `);
});
