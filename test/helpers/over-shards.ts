/** Leaves out the tests that a run over two shards can't have. */
import { beforeEach } from "vitest";
import { whyNotOverShards } from "./not-over-shards.ts";

beforeEach(({ task, skip }) => {
  const reason = whyNotOverShards(task.file.name, task.name);
  if (reason !== undefined) skip(reason);
});
