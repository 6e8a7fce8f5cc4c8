/** Forks of a cluster whose configuration leads back to its own directory. */
import { appendFileSync, existsSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "@oxbow/sdk/internal/server";
import { startPostgres } from "@oxbow/sdk/testing";
import { expect, it } from "vitest";
import { oxbow } from "../helpers/command.ts";
import { forkBy, makeFolder, stopInTheEnd } from "../helpers/forks.ts";

it("a fork neither starts its source nor writes to its files, wherever settings and links lead", async () => {
  const folder = makeFolder();
  const [source, target] = [join(folder, "source"), join(folder, "it's a fork")];
  const cluster = await startPostgres({ dataDir: source });
  await migrate(await cluster.createDatabase("shop"));
  await cluster.stop();
  const [settings, elsewhere] = ["postgresql.auto.conf", "settings.conf"].map((name) =>
    join(name === "settings.conf" ? folder : source, name),
  ) as [string, string];
  renameSync(settings, elsewhere);
  symlinkSync(elsewhere, settings);
  appendFileSync(
    join(source, "postgresql.conf"),
    `\ndata_directory = '${source}'\nexternal_pid_file = '${join(folder, "main.pid")}'\n`,
  );
  const before = readFileSync(elsewhere, "utf8");
  stopInTheEnd(target);

  const { url } = await forkBy([source, target]);
  expect(
    JSON.parse((await oxbow(["fork", "status", "--url", url, "--json"])).stdout),
  ).toMatchObject({ state: "held" });
  expect(existsSync(join(target, "postmaster.pid"))).toBe(true);
  expect(existsSync(join(source, "postmaster.pid"))).toBe(false);
  expect(existsSync(join(folder, "main.pid"))).toBe(false);
  expect(readFileSync(elsewhere, "utf8")).toBe(before);
});
