/** Calls of SQL functions. */
import type { Call } from "../../../protocol/rooms.ts";

/** Arguments of array types. */
export type Texts = readonly (string | null)[];
export type Numbers = readonly (number | null)[];

export type ParametersOf<Of> = Of extends Call<infer Parameters> ? Parameters : never;

export const call = <Parameters extends readonly unknown[], Row>(
  name: string,
  text: string,
): Call<Parameters, Row> => ({ name: `oxbow_${name}`, text });

/** The texts are few, and constants. */
const withSettings = new Map<string, Call>();

/**
 * A call with another parameter, to whose value the setting is set for the transaction before the function is called. One
 * without parameters stays as it is.
 *
 * @param suffix Of its name.
 */
export function withSetting<Row>(
  plain: Call<readonly unknown[], Row>,
  suffix: string,
  setting: "lock_timeout" | "oxbow.actor",
  parameter: number,
): Call<readonly unknown[], Row> {
  const name = `${plain.name}_${suffix}`;
  let made = withSettings.get(name);
  if (made === undefined) {
    const set = `pg_catalog.set_config('${setting}', $${parameter}::text, true)`;
    const text = plain.text.replace(
      /\$1::\w+(?:\[\])?/,
      (first) => `case when ${set} is not null then ${first} end`,
    );
    made = text === plain.text ? plain : { name, text };
    withSettings.set(name, made);
  }
  return made as Call<readonly unknown[], Row>;
}

export const limitsItsWait = ({ text }: Call): boolean => text.includes("'lock_timeout'");
