/**
 * Which files of tests begin first. Vitest goes by the size of a file where it has no times of earlier runs, as on a
 * fresh machine; a short file that takes a minute then begins last, and the whole run waits for it.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * In their order. Of `make test-rest`, files that keep a processor busy alternate with those that wait for the clock, or for
 * what they have killed.
 */
const LONG = [
  "test/dashboard/dashboard",
  "test/chaos/pushes",
  "test/shard/shard-down",
  "test/shard/drains",
  "test/dashboard/pages",
  "test/chaos/silence",
  "test/chaos/clock-set-back",
  "test/editor/editor",
  "test/shard/move-routes",
  "test/chaos/sqs-killed",
  "test/docs/executed",
  "test/chaos/suspects",
  "test/shard/draining",
  "test/cli/dev",
  "test/chaos/poisoned",
  "test/ai/killed",
  "test/chaos/network",
  "test/standby/failover",
  "test/install/packages",
  "test/declared/approvals-killed",
  "test/fork/drivers",
  "test/ai/example",
  "test/push/push",
  "test/workflow/large-journals",
  "test/install/containers",
  "test/workflow/schedules",
  "test/workflow/deadlines",
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
