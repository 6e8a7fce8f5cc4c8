import type { Row, Scenario } from "../scenarios/scenario.ts";
import type { SystemFacts } from "./catalog.ts";

/** Why a system isn't measured in a scenario, or in one of its rows; undefined when it is. */
export function whyAbsent(
  { absent, needs }: SystemFacts,
  scenario: Scenario,
  row?: Row,
): string | undefined {
  const known =
    absent[scenario.kind] ??
    absent[scenario.id] ??
    (row === undefined ? undefined : absent[row.id]);
  if (known !== undefined) return known;
  if (needs !== undefined && (process.env[needs.variable] ?? "") === "")
    return `not measured: ${needs.what} (${needs.variable})`;
  return undefined;
}
