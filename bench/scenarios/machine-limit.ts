import pg from "pg";
import type { Environment } from "../environment.ts";
import type { Figure } from "../report.ts";

const SECONDS = 2;

/** What this machine's disk and Postgres allow: commits of one row each. */
export async function machineLimit({ url, database }: Environment): Promise<Figure[]> {
  await database.query("create table if not exists one_row (n bigint)");
  return [
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

async function commitRate(url: string, connections: number): Promise<number> {
  const clients = Array.from(
    { length: connections },
    () => new pg.Client({ connectionString: url }),
  );
  await Promise.all(clients.map((client) => client.connect()));
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
  await Promise.all(clients.map((client) => client.end()));
  return commits / SECONDS;
}
