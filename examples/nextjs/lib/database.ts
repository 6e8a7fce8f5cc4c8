/** The application's own table. Oxbow's are in the same database, in the schema `queue`. */
import { drizzle } from "drizzle-orm/node-postgres";
import { pgTable, text, uuid } from "drizzle-orm/pg-core";

export const users = pgTable("users", {
  id: uuid().primaryKey(),
  email: text().notNull().unique(),
  status: text({ enum: ["waiting", "member", "expired"] })
    .notNull()
    .default("waiting"),
  /** The run of the user's sign-up. */
  runId: text("run_id").notNull(),
});

export const db = drizzle(process.env.DATABASE_URL ?? "");
