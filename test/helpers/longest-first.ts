/**
 * Which files of tests begin first. Vitest goes by the size of a file where it has no times of earlier runs, as on a
 * fresh machine; a short file that takes a minute then begins last, and the whole run waits for it.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** In their order. */
const LONG = [
  "test/chaos/pushes",
  "test/fork/drivers",
  "test/docs/follow",
  "test/push/nextjs",
  "test/chaos/sqs-killed",
  "test/shard/shard-down",
  "test/fork/thousand",
  "test/cli/dev",
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
