/** Creates the table of lib/database.ts: `npm run table`. */
import { readFile } from "node:fs/promises";
import pg from "pg";

const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
await client.query(await readFile("users.sql", "utf8"));
await client.end();
