/** Databases as an older release left them. */
import { releasedScript } from "../../extension-sql/released.ts";

/** Installs what `oxbow migrate` of that release did, in a database without Oxbow. */
export async function installRelease(
  on: { query(text: string): Promise<unknown> },
  release: string,
): Promise<void> {
  const script = releasedScript(release).replace(/^\\echo .*$/m, "");
  await on.query("create schema queue");
  await on.query(`set check_function_bodies = off; ${script}; reset check_function_bodies`);
  await on.query("select queue.migrate()");
}
