import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../environment.ts";
import type { Figure } from "../figure.ts";
import { withConnections } from "../measure/connect.ts";

const SECONDS = 2;

/** The limit of this machine's disk and Postgres: commits of one row each. */
export async function machineLimit({ url, database, directory }: Environment): Promise<Figure[]> {
  await database.query("create table if not exists one_row (n bigint)");
  return [
    { name: "machine: fdatasync of 8 KiB", value: await syncRate(directory), unit: "/s" },
    {
      name: "machine: one-row commits/s, 1 connection",
      value: await commitRate(url, 1),
      unit: "/s",
    },
    {
      name: "machine: one-row commits/s, 50 connections",
      value: await commitRate(url, 50),
      unit: "/s",
    },
  ];
}

function commitRate(url: string, connections: number): Promise<number> {
  return withConnections(url, connections, async (clients) => {
    let commits = 0;
    const until = performance.now() + SECONDS * 1_000;
    await Promise.all(
      clients.map(async (client) => {
        while (performance.now() < until) {
          await client.query({ name: "insert", text: "insert into one_row values (1)" });
          commits += 1;
        }
      }),
    );
    return commits / SECONDS;
  });
}

/** On the disk of the database, one after the other, each over the one before. */
async function syncRate(directory: string): Promise<number> {
  const file = await open(join(directory, "sync-rate"), "w");
  const page = Buffer.alloc(8_192, 1);
  let syncs = 0;
  const until = performance.now() + SECONDS * 1_000;
  while (performance.now() < until) {
    await file.write(page, 0, page.length, 0);
    await file.datasync();
    syncs += 1;
  }
  await file.close();
  return syncs / SECONDS;
}
