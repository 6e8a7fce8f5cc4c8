import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { FleetTransport } from "./fleet-transport.ts";
import { REFUSED } from "./refused.ts";

it("names each room that refuses, and the guide lists them all", async () => {
  const rooms = Object.entries(new FleetTransport([])) as [string, Record<string, unknown>][];
  const refusing: string[] = [];
  for (const [name, room] of rooms) {
    const call = room?.["anything"];
    if (typeof call !== "function") continue;
    await expect((call as () => Promise<unknown>)()).rejects.toThrow("over several shards");
    refusing.push(name);
  }
  // A worker has lanes, so that its users never see that.
  expect(refusing.toSorted()).toEqual([...Object.keys(REFUSED), "worker"].toSorted());

  const guide = readFileSync(
    new URL("../../../docs/guides/shards.md", import.meta.url),
    "utf8",
  ).toLowerCase();
  const [, section = ""] = guide.split("## not supported yet");
  const unlisted = Object.values(REFUSED).filter((what) => !section.includes(what.toLowerCase()));
  expect(unlisted).toEqual([]);
});
