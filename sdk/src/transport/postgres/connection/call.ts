/** Calls of SQL functions. */
import type { Call } from "../../../protocol/rooms.ts";

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
