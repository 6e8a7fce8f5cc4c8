import { describe, expect, it } from "vitest";
import { type FlowControl, toFlowSettings } from "./flow-control.ts";

// Misspelt on purpose: concurency
const settings = (flow: FlowControl): unknown => toFlowSettings(flow, "the flow control of test");

describe("flow control", () => {
  it("converts to settings of the database, in seconds, without absent members", () => {
    expect(
      settings({
        key: "customer.id",
        concurrency: 10,
        concurrencyPerKey: 1,
        rateLimit: { limit: 100, per: "1m", burst: 5 },
        debounce: { wait: "5s", maxWait: "1m" },
        priority: true,
      }),
    ).toEqual({
      key: "customer.id",
      concurrency: 10,
      concurrency_per_key: 1,
      rate_limit: { limit: 100, per_seconds: 60, burst: 5 },
      debounce: { seconds: 5, max_seconds: 60 },
      priority: true,
    });
  });

  it.each<[FlowControl, string]>([
    [{ concurrency: 0 }, "Invalid concurrency 0"],
    [{ concurrencyPerKey: 2 }, "require a key"],
    [{ key: "a..b" }, 'Invalid key "a..b"'],
    [{ rateLimit: { limit: 1, per: "2y" } }, 'Invalid rateLimit.per "2y"'],
    [{ key: "k", debounce: { wait: "5s", maxWait: "1s" } }, 'Invalid debounce.maxWait "1s"'],
    [{ concurency: 1 } as never, 'Unknown setting "concurency"'],
  ])("refuses %j", (flow, message) => {
    expect(() => settings(flow)).toThrow(message);
  });
});
