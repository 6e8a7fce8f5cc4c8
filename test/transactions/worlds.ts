/** Transactions of each driver and ORM that docs/guides/transactions.md shows, by the same few lines. */
import { MikroORM } from "@mikro-orm/postgresql";
import { EntitySchema as MikroSchema } from "@mikro-orm/core";
import type { TransactionClient } from "@oxbow/sdk";
import { PrismaPg } from "@prisma/adapter-pg";
import { drizzle as drizzleOnPg } from "drizzle-orm/node-postgres";
import { drizzle as drizzleOnPostgresJs } from "drizzle-orm/postgres-js";
import knex from "knex";
import { CamelCasePlugin, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import postgres from "postgres";
import { DataSource } from "typeorm";
import { PrismaClient } from "../../examples/prisma/generated/client.ts";
import { fromDrizzle } from "../../examples/transactions/drizzle.ts";
import { fromKnex } from "../../examples/transactions/knex.ts";
import { fromKysely } from "../../examples/transactions/kysely.ts";
import { fromMikroOrm } from "../../examples/transactions/mikro-orm.ts";
import { fromPostgresJs } from "../../examples/transactions/postgres-js.ts";
import { fromPrisma } from "../../examples/transactions/prisma.ts";
import { fromTypeOrm } from "../../examples/transactions/typeorm.ts";

export interface World {
  /** Work in a transaction of the driver's, which is rolled back when the work rejects. */
  transaction(work: (tx: TransactionClient) => Promise<void>): Promise<void>;
  end(): Promise<unknown>;
}

type Work = Parameters<World["transaction"]>[0];

/** The world of node-postgres, whose client is already a transaction client. */
function onPg(url: string): World {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  return {
    transaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query("begin");
        await work(client);
        await client.query("commit");
      } catch (error) {
        await client.query("rollback");
        throw error;
      } finally {
        client.release();
      }
    },
    end: () => pool.end(),
  };
}

/** Some programs want bigints, or columns in camel case, of everything that they read. */
function onPostgresJs(url: string, options: postgres.Options<Record<string, never>> = {}): World {
  const sql = postgres(url, { max: 1, ...options });
  return {
    transaction: async (work) => {
      await sql.begin((tx) => work(fromPostgresJs(tx as unknown as postgres.TransactionSql)));
    },
    end: () => sql.end(),
  };
}

function onKysely(url: string, plugins: CamelCasePlugin[] = []): World {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const db = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }), plugins });
  return {
    transaction: (work) => db.transaction().execute((tx) => work(fromKysely(tx))),
    end: () => db.destroy(),
  };
}

function onKnex(url: string): World {
  const db = knex({ client: "pg", connection: url, pool: { min: 0, max: 1 } });
  return {
    transaction: (work) => db.transaction((tx) => work(fromKnex(tx))),
    end: () => db.destroy(),
  };
}

function onDrizzleOnPg(url: string): World {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const db = drizzleOnPg(pool);
  return {
    transaction: (work) => db.transaction((tx) => work(fromDrizzle(tx))),
    end: () => pool.end(),
  };
}

function onDrizzleOnPostgresJs(url: string): World {
  const sql = postgres(url, { max: 1 });
  const db = drizzleOnPostgresJs(sql);
  return {
    transaction: (work) => db.transaction((tx) => work(fromDrizzle(tx))),
    end: () => sql.end(),
  };
}

function onPrisma(url: string): World {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 1 }) });
  return {
    transaction: (work: Work) =>
      prisma.$transaction((tx) => work(fromPrisma(tx)), { timeout: 30_000, maxWait: 30_000 }),
    end: () => prisma.$disconnect(),
  };
}

async function onTypeOrm(url: string): Promise<World> {
  const source = await new DataSource({ type: "postgres", url, poolSize: 1 }).initialize();
  return {
    transaction: (work) => source.transaction((manager) => work(fromTypeOrm(manager))),
    end: () => source.destroy(),
  };
}

async function onMikroOrm(url: string): Promise<World> {
  // It requires an entity; this one is unused.
  const entities = [
    new MikroSchema({ name: "Nothing", properties: { id: { type: "number", primary: true } } }),
  ];
  const orm = await MikroORM.init({ clientUrl: url, entities, pool: { min: 0, max: 1 } });
  return {
    transaction: (work) => orm.em.transactional((em) => work(fromMikroOrm(em))),
    end: () => orm.close(),
  };
}

export const worlds: Readonly<Record<string, (url: string) => World | Promise<World>>> = {
  "node-postgres": onPg,
  "postgres.js": onPostgresJs,
  "postgres.js with camel case and bigints": (url) =>
    onPostgresJs(url, {
      transform: postgres.camel,
      types: { bigint: postgres.BigInt } as unknown as Record<string, never>,
    }),
  "Drizzle on node-postgres": onDrizzleOnPg,
  "Drizzle on postgres.js": onDrizzleOnPostgresJs,
  Kysely: onKysely,
  "Kysely with camel case": (url) => onKysely(url, [new CamelCasePlugin()]),
  Prisma: onPrisma,
  Knex: onKnex,
  TypeORM: onTypeOrm,
  MikroORM: onMikroOrm,
};
