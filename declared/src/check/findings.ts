import { nodeAt, type Problem } from "../document/problem.ts";
import type { InvalidExpression } from "../expression/expression-errors.ts";
import type { TypeProblem } from "../types/environment.ts";

/** The problems of a document as they are found; each is kept once. */
export class Findings {
  private readonly problems = new Map<string, Problem>();

  error(pointer: string, code: string, message: string, hint: string): void {
    this.add({ code, severity: "error", pointer, message, hint });
  }

  warning(pointer: string, code: string, message: string, hint: string): void {
    this.add({ code, severity: "warning", pointer, message, hint });
  }

  /** @param offset - Where the expression begins in the text at the pointer. */
  ofTypes(pointer: string, problems: readonly TypeProblem[], offset = 0): void {
    for (const { start, end, ...problem } of problems) {
      this.add({ ...problem, pointer, range: { start: start + offset, end: end + offset } });
    }
  }

  ofSyntax(pointer: string, { code, range, reason, hint }: InvalidExpression): void {
    this.add({ code, severity: "error", pointer, range, message: reason, hint });
  }

  /** A secret where its name would be used as a value. */
  misplacedSecret(name: string, pointer: string): void {
    const message = `the secret "${name}" can't be opened here`;
    const hint = "Name it in a parameter that takes secrets.";
    this.error(pointer, "MISPLACED_SECRET", message, hint);
  }

  add(problem: Problem): void {
    const { code, pointer, range, message } = problem;
    const key = JSON.stringify([code, pointer, range, message]);
    if (this.problems.has(key)) return;
    const node = problem.node ?? nodeAt(pointer);
    this.problems.set(key, node === undefined ? problem : { ...problem, node });
  }

  /** Errors first, otherwise in the order in which they were found. */
  all(): readonly Problem[] {
    const all = [...this.problems.values()];
    return [
      ...all.filter(({ severity }) => severity === "error"),
      ...all.filter(({ severity }) => severity === "warning"),
    ];
  }
}
