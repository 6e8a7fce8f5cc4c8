import { expect, it } from "vitest";
import { jsonLogger } from "./json-logger.ts";

function collect(options: Parameters<typeof jsonLogger>[0] = {}) {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void =>
    void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { lines, logger: jsonLogger({ ...options, write }) };
}

it("writes a line of JSON with the fields", () => {
  const { lines, logger } = collect();
  logger.info("charged", { runId: "7", amount: 5 });
  expect(lines).toEqual([
    { time: expect.any(String), level: "info", message: "charged", runId: "7", amount: 5 },
  ]);
});

it("omits entries below its level", () => {
  const { lines, logger } = collect({ level: "warn" });
  logger.debug("a");
  logger.info("b");
  logger.warn("c");
  logger.error("d");
  expect(lines.map(({ message }) => message)).toEqual(["c", "d"]);
});

it("writes errors and big integers, and survives circles", () => {
  const { lines, logger } = collect();
  const circle: { self?: object } = {};
  circle.self = circle;
  logger.error("failed", { error: new TypeError("no"), count: 5n });
  logger.error("round", circle);
  expect(lines).toMatchObject([
    { error: { name: "TypeError", message: "no" }, count: "5" },
    { message: "round", fields: "could not be written as JSON" },
  ]);
});
