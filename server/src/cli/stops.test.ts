import { expect, it } from "vitest";
import { Stops } from "./stops.ts";

it("stops the others although one fails, and then reports it", async () => {
  const stops = new Stops(1);
  const stopped: string[] = [];
  stops.add(() => stopped.push("first"));
  stops.add(() => Promise.reject(new Error("it can't stop")));
  stops.add(() => stopped.push("last"));
  await expect(stops.all()).rejects.toThrow("it can't stop");
  expect(stopped).toEqual(["last", "first"]);
});
