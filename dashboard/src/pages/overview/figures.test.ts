import { expect, it } from "vitest";
import type { ListedRun } from "../../api/runs.ts";
import { endsByMinute, percentile } from "./figures.ts";

it("takes percentiles by rank", () => {
  expect(percentile([], 0.5)).toBeUndefined();
  expect(percentile([5], 0.95)).toBe(5);
  expect(percentile([4, 1, 3, 2], 0.5)).toBe(2);
  expect(percentile([4, 1, 3, 2], 0.95)).toBe(4);
});

it("counts ends by the minute, without cancellations and what ended before", () => {
  const run = (status: string, completedAt: string) => ({ status, completedAt }) as ListedRun;
  const since = Date.parse("2026-01-01T10:00:30Z");
  const [times, completed, failed] = endsByMinute(
    [
      run("completed", "2026-01-01T09:59:59Z"),
      run("completed", "2026-01-01T10:00:31Z"),
      run("failed", "2026-01-01T10:02:00Z"),
      run("cancelled", "2026-01-01T10:02:00Z"),
      run("completed", "2026-01-01T10:02:59Z"),
    ],
    since,
    Date.parse("2026-01-01T10:02:59Z"),
  );
  expect(times).toHaveLength(3);
  expect([completed, failed]).toEqual([
    [1, 0, 1],
    [0, 0, 1],
  ]);
});
