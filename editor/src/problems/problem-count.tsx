import type { Problem } from "@oxbow/declared/check";
import type { ReactNode } from "react";
import { Icon } from "../catalog/icon.tsx";
import { useEditor } from "../state/use-editor.ts";

/** How many problems a step has. */
export function ProblemCount({
  id,
  children,
}: {
  readonly id: string;
  /** After the number, for those who don't see the icon. */
  readonly children?: ReactNode;
}): ReactNode {
  const errors = useEditor(({ problems }) => countProblems(problems, id, "error"));
  const warnings = useEditor(({ problems }) => countProblems(problems, id, "warning"));
  if (errors + warnings === 0) return null;
  return (
    <span className={`oxe-count ${errors > 0 ? "error" : "warning"}`}>
      <Icon name="warning" size={12} />
      {errors + warnings}
      {children}
    </span>
  );
}

/** Problems by node, counted once for each list of problems. */
const COUNTS = new WeakMap<readonly Problem[], ReadonlyMap<string, number>>();

function countProblems(
  problems: readonly Problem[],
  node: string,
  severity: Problem["severity"],
): number {
  const counts = COUNTS.get(problems) ?? countsOf(problems);
  COUNTS.set(problems, counts);
  return counts.get(`${severity} ${node}`) ?? 0;
}

function countsOf(problems: readonly Problem[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { severity, node = "" } of problems) {
    const key = `${severity} ${node}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
