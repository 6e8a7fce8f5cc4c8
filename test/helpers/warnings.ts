/** Node's warnings during a piece of work. */
import { setImmediate as nextTurn } from "node:timers/promises";

export async function warningsOf(work: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on("warning", note);
  try {
    await work();
    await nextTurn();
  } finally {
    process.off("warning", note);
  }
  return warnings;
}
