/** All results as they are on disk, row by row and system by system. */
import type { Cell, SystemPart } from "./parts.ts";
import { scenarios } from "./scenarios/all.ts";
import { isRate, type Row, type Scenario } from "./scenarios/scenario.ts";
import { whyNever, whyNotHere } from "./systems/absence.ts";
import type { SystemFacts } from "./systems/catalog.ts";

export type TableCell = Cell | { readonly kind: "absent"; readonly reason: string };

export interface TableRow {
  readonly row: Row;
  readonly cells: ReadonlyMap<SystemFacts, TableCell>;
  /** The best cell that holds a figure. */
  readonly best: TableCell | undefined;
}

export interface Table {
  readonly systems: readonly SystemFacts[];
  readonly rows: readonly TableRow[];
}

export interface MeasuredSystem {
  readonly facts: SystemFacts;
  readonly part: SystemPart;
}

/** The systems that have anything of the kind, and what they did. */
export function tableOf(kind: Scenario["kind"], measured: readonly MeasuredSystem[]): Table {
  const taking = measured.filter(({ facts }) => facts.absent[kind] === undefined);
  const rows = scenarios
    .filter((scenario) => scenario.kind === kind)
    .flatMap((scenario) => scenario.rows.map((row) => rowOf(scenario, row, taking)));
  return { systems: taking.map(({ facts }) => facts), rows };
}

function rowOf(scenario: Scenario, row: Row, measured: readonly MeasuredSystem[]): TableRow {
  const cells = new Map(
    measured.map(({ facts, part }): [SystemFacts, TableCell] => {
      const never = whyNever(facts, scenario, row);
      if (never !== undefined) return [facts, { kind: "absent", reason: never }];
      const reason = whyNotHere(facts) ?? "not measured yet";
      return [facts, part.cells[row.id] ?? { kind: "absent", reason }];
    }),
  );
  let best: TableCell | undefined;
  for (const cell of cells.values()) {
    if (cell.kind === "measured" && isBetter(row, cell.value, best)) best = cell;
  }
  return { row, cells, best };
}

function isBetter(row: Row, value: number, best: TableCell | undefined): boolean {
  if (best?.kind !== "measured") return true;
  return isRate(row) ? value > best.value : value < best.value;
}
