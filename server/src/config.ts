/** The environment, read in one place. */

/** Url of the database: the one that is given, else `QUEUE_URL`. */
export function databaseUrl(given: string | undefined): string {
  const url = given ?? process.env["QUEUE_URL"];
  if (url !== undefined && url !== "") return url;
  throw new Error("No database: give --url postgres://..., or set QUEUE_URL.");
}
