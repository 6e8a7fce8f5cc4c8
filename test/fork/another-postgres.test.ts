/** Forks by the programs of the Postgres that the tests were asked to run on, such as the oldest one in CI. */
import { join } from "node:path";
import { startPostgres } from "@oxbow/sdk/testing";
import { describe, it, onTestFinished } from "vitest";
import {
  forkBy,
  forkInFlight,
  type Made,
  makeFolder,
  startSource,
  stopInTheEnd,
} from "../helpers/forks.ts";

const binDir = process.env["OXBOW_TEST_PG_BIN"] ?? "";

describe.runIf(binDir !== "")("a fork with runs in flight (needs OXBOW_TEST_PG_BIN)", () => {
  it("by basebackup continues", async () => {
    const folder = makeFolder();
    const source = await startSource(folder, { binDir });
    const target = join(folder, "fork");
    stopInTheEnd(target);
    const make = (): Promise<Made> => forkBy([source.url, target, "--driver", "basebackup"]);
    await forkInFlight({ source, each: 20, make });
  });

  it("by a dump into another cluster continues", async () => {
    const folder = makeFolder();
    const source = await startSource(folder, { binDir });
    const other = await startPostgres({ binDir, durable: false });
    onTestFinished(() => other.stop({ mode: "immediate" }));
    const target = await other.createDatabase("restored");
    const make = (): Promise<Made> => forkBy([source.url, target]);
    await forkInFlight({ source, each: 20, make });
  });
});
