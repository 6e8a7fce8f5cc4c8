/**
 * The SQL text that the SDK sends: one constant a function, and nothing but calls. Columns are named, so that
 * an older SDK runs on a newer database. A call that also runs in a transaction of the caller's casts each of its
 * parameters, and returns ids as text: see `foreign-transaction.ts`.
 */
export interface Call {
  /** Name of the prepared statement. */
  readonly name: string;
  readonly text: string;
}

export const call = (name: string, text: string): Call => ({ name: `oxbow_${name}`, text });

/** The same, but it fails with 55P03 rather than wait for longer than this for what an open transaction has locked. */
export function waitingFor({ name, text }: Call, waitMs: number): Call {
  // An argument is evaluated before the function is called: the statement needs no join, and no row of its own.
  const setting = `pg_catalog.set_config('lock_timeout', '${waitMs}ms', true) is not null`;
  return {
    name: `${name}_${waitMs}ms`,
    text: text.replace("=> $1", `=> case when ${setting} then $1 end`),
  };
}

/** For items that have nothing to do with each other. */
export const soon = (of: Call): Call => waitingFor(of, 100);
