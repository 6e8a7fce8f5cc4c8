/**
 * Which files of tests begin first. Vitest goes by the size of a file where it has no times of earlier runs, as on a
 * fresh machine; a short file that takes a minute then begins last, and the whole run waits for it.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** In their order. */
const LONG = [
  "test/dashboard/dashboard",
  "test/push/nextjs",
  "test/dashboard/pages",
  "test/chaos/pushes",
  "test/editor/editor",
  "test/docs/executed",
  "test/shard/drains",
  "test/docs/follow",
  "test/cli/dev",
  "test/chaos/silence",
  "test/shard/move-routes",
  "test/shard/shard-down",
  "test/declared/approvals-killed",
  "test/fork/drivers",
  "test/ai/example",
  "test/push/push",
  "test/workflow/large-journals",
  "test/install/containers",
  "test/workflow/infrastructure-faults",
  "test/server/hooks",
  "test/declared/triggers",
  "test/cli/runs",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own, which returns a new array
    const sorted = await super.sort(files);
    const long = LONG.flatMap((path) =>
      sorted.filter(({ moduleId }) => moduleId.includes(`/${path}.test.`)),
    );
    return [...new Set([...long, ...sorted])];
  }
}
