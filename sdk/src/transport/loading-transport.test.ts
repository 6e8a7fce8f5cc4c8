import { expect, it } from "vitest";
import { callsWhenUsed } from "./loading-transport.ts";

it("makes calls of a room that is loaded before they return", async () => {
  const made: string[] = [];
  const calls = callsWhenUsed(() =>
    Promise.resolve({ ask: (name: string) => Promise.resolve(made.push(name)) }),
  );
  await calls.ask("first");
  const second = calls.ask("second");
  expect(made).toEqual(["first", "second"]);
  await second;
});
