import type { Row, Scenario } from "../scenarios/scenario.ts";
import type { SystemFacts } from "./catalog.ts";

/** Why a system can't do a scenario, or has no figure in one of its rows; undefined when it has. */
export const whyNever = (
  { absent }: SystemFacts,
  scenario: Scenario,
  row?: Row,
): string | undefined =>
  absent[scenario.kind] ?? absent[scenario.id] ?? (row === undefined ? undefined : absent[row.id]);

/** The missing requirement of a system on this machine; undefined if it can run. */
export const whyNotHere = ({ needs }: SystemFacts): string | undefined =>
  needs === undefined || (process.env[needs.variable] ?? "") !== ""
    ? undefined
    : `not measured: ${needs.what}, in ${needs.variable}`;
