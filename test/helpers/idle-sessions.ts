/** Sessions that tests use in turn: to connect, and to compile functions again, takes longer than most calls. */
import type pg from "pg";
import type { TestDatabase } from "./database.ts";

const idleSessions = new WeakMap<TestDatabase, Set<pg.Client>>();

/** Uses a session of a database, which must be in no transaction afterwards. It ends if this fails, and otherwise stays. */
export async function useSession<Result>(
  database: TestDatabase,
  use: (session: pg.Client) => Promise<Result>,
): Promise<Result> {
  const idle = idleSessions.get(database) ?? new Set();
  idleSessions.set(database, idle);
  const session = idle.values().next().value ?? (await connect(database, idle));
  idle.delete(session);
  try {
    const result = await use(session);
    idle.add(session);
    return result;
  } catch (error) {
    await session.end();
    throw error;
  }
}

async function connect(database: TestDatabase, idle: Set<pg.Client>): Promise<pg.Client> {
  const session = await database.connect();
  session.once("end", () => void idle.delete(session));
  return session;
}
