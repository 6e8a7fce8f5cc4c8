/**
 * A call of a SQL function: the text that the SDK sends, and nothing but a call. Columns are named, so that an older SDK
 * runs on a newer database. A call that also runs in a transaction of the caller's casts each of its parameters, and
 * returns ids as text: see `foreign-transaction.ts`.
 */
export interface Call<Parameters extends readonly unknown[] = readonly unknown[], Row = unknown> {
  /** Name of the prepared statement. */
  readonly name: string;
  readonly text: string;
  /** Types for the compiler: what the statement takes, and what each row has. */
  readonly types?: { readonly parameters: Parameters; readonly row: Row };
}

/** A call whose last parameter limits how long it waits for what another transaction has locked; then it fails with 55P03. */
export type LimitedCall<Parameters extends readonly unknown[], Row> = Call<
  readonly [...Parameters, lockTimeout: string],
  Row
>;

export const limitsItsWait = ({ text }: Call): boolean => text.includes("'lock_timeout'");

/** Arguments of array types. */
export type Texts = readonly (string | null)[];
export type Numbers = readonly (number | null)[];

export const call = <Parameters extends readonly unknown[], Row>(
  name: string,
  text: string,
): Call<Parameters, Row> => ({ name: `oxbow_${name}`, text });

/** How long items that have nothing to do with each other wait together for what another transaction has locked. */
export const SOON = "100ms";
