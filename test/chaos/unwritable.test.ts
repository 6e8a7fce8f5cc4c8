/** A database that takes no writes for a while: errors surface, nothing is half-written, work continues afterwards. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWorkflowClient } from "@oxbow/sdk";
import { migrate } from "@oxbow/sdk/internal/server";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { askOnce } from "../helpers/ask-once.ts";
import { startCluster } from "../helpers/clusters.ts";
import { createDatabase } from "../helpers/database.ts";
import { atLeast, eventually } from "../helpers/eventually.ts";
import { Ledger } from "../helpers/ledger.ts";

const RUNS = 40;
const STEPS = 5;

const isUnderWay = (ledger: Ledger): Promise<number> =>
  eventually(() => ledger.journaledSteps(), atLeast((RUNS * STEPS) / 5));

it("a read-only database, as after a failover, loses nothing, and runs continue when it is writable again", async () => {
  const database = await createDatabase();
  const ledger = new Ledger(database.url, (text, values) => database.query(text, values));
  await ledger.prepare();
  const worker = ledger.worker(3);
  const runs = await Promise.all(
    Array.from({ length: RUNS }, () => ledger.start({ steps: STEPS })),
  );
  await isUnderWay(ledger);
  const name = new URL(database.url).pathname.slice(1);
  await database.query(`alter database "${name}" set default_transaction_read_only = on`);
  await database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await using late = createWorkflowClient({ url: database.url });
  await expect(late.start("ledger", { steps: 1 })).rejects.toMatchObject({
    message: expect.stringContaining("read-only"),
  });
  const before = await ledger.journaledSteps();
  await database.query("select pg_sleep(0.3)");
  expect(await ledger.journaledSteps()).toBe(before);

  await database.query(`alter database "${name}" reset default_transaction_read_only`);
  await database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await ledger.isSound(runs, STEPS);
  await worker.stop();
});

/** A disk of 48 MB, where this process may mount one. */
function mountDisk(): { path: string; unmount: () => void } | undefined {
  const path = mkdtempSync(join(tmpdir(), "oxbow-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=48m,mode=0777", "tmpfs", path], {
      stdio: "ignore",
    });
  } catch {
    rmSync(path, { recursive: true });
    return undefined;
  }
  return {
    path,
    unmount: () => {
      execFileSync("umount", ["-l", path]);
      rmSync(path, { recursive: true });
    },
  };
}

const disk = mountDisk();

describe.runIf(disk !== undefined)("a full disk (needs the right to mount one)", () => {
  it("loses nothing, and runs continue when space is available again", async () => {
    if (disk === undefined) return;
    try {
      await using cluster = await startCluster({ durable: true });
      const url = await cluster.createDatabase("filled");
      const admin = new pg.Client({ connectionString: url });
      await admin.connect();
      const space = join(disk.path, "space");
      execFileSync("mkdir", [space]);
      chmodSync(space, 0o777);
      // Tablespaces belong to the server's account.
      const { rows } = await admin.query<{ pid: number }>("select pg_backend_pid() as pid");
      const owner = execFileSync("ps", ["-o", "uid=,gid=", "-p", String(rows[0]?.pid)], {
        encoding: "utf8",
      });
      execFileSync("chown", [owner.trim().split(/\s+/).join(":"), space]);
      await admin.query(`create tablespace small location '${space}'`);
      await admin.query("alter database filled set default_tablespace = small");
      await admin.end();
      await migrate(url);
      const query = askOnce(url);
      const ledger = new Ledger(url, query);
      await ledger.prepare();
      const worker = ledger.worker(3);
      const runs = await Promise.all(
        Array.from({ length: RUNS }, () => ledger.start({ steps: STEPS })),
      );
      await isUnderWay(ledger);

      const ballast = join(disk.path, "ballast");
      expect(() => writeFileSync(ballast, Buffer.alloc(48 * 1_048_576))).toThrow("ENOSPC");
      // Larger than what pages that exist could take.
      const big = { steps: 1, ballast: Array.from({ length: 400_000 }, Math.random) };
      await expect(ledger.client.start("ledger", big)).rejects.toMatchObject({
        message: expect.stringContaining("No space left on device"),
      });
      await expect(
        query(
          "insert into call (run_id, step, pid) select 0, repeat('x', 2000), 0 from generate_series(1, 10000)",
        ),
      ).rejects.toMatchObject({ code: "53100" });

      rmSync(ballast);
      await ledger.isSound(runs, STEPS);
      await ledger.client.close();
      await worker.stop();
    } finally {
      disk.unmount();
    }
  });
});
