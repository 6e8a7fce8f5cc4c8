import { describe, expect, it } from "vitest";
import { defineTrigger, type TriggerTypeOptions } from "./trigger-type.ts";

describe("a trigger type", () => {
  it("has its name as topic, unless it names another one", () => {
    expect(defineTrigger({ name: "order.paid" }).topic).toBe("order.paid");
    expect(defineTrigger({ name: "order.paid", topic: "shop.*.order.#" }).topic).toBe(
      "shop.*.order.#",
    );
  });

  it.each([
    [{ on: "order.paid" }, /^Invalid trigger type "undefined": use words/],
    [{ name: null }, /^Invalid trigger type "null": use words/],
    [{ name: "Order" }, /^Invalid trigger type "Order": use words/],
    [{ name: "schedule" }, /^Invalid trigger type "schedule": .* except webhook/],
    [{ name: "order", topic: "" }, /^Invalid topic "" of trigger type "order": use up to 32 words/],
    [{ name: "order", topic: "a..b" }, /^Invalid topic "a..b"/],
    [{ name: "order", topic: null }, /^Invalid topic "null"/],
    [{ name: "order", topic: Array.from({ length: 33 }, () => "a").join(".") }, /^Invalid topic/],
    [{ name: "order", loads: ["a"] }, /must have both/],
  ])("%j is refused, with the value and what to write", (options, message) => {
    expect(() => defineTrigger(options as TriggerTypeOptions)).toThrow(message);
  });
});
