/** The problems of a field, below it. */
import type { Problem } from "@oxbow/declared/check";
import { type ReactNode, useMemo } from "react";
import { useEditor } from "../state/use-editor.ts";

const MEMBERS = [
  "",
  "/$path",
  "/$cel",
  "/$text",
  "/$secret",
  "/$config",
  "/$resource",
  "/$literal",
];

/** Problems of the value at a pointer, or of the binding that it is. */
export function useProblemsAt(pointer: string): readonly Problem[] {
  const problems = useEditor((state) => state.problems);
  return useMemo(() => {
    const places = new Set(MEMBERS.map((member) => pointer + member));
    return problems.filter((problem) => places.has(problem.pointer));
  }, [problems, pointer]);
}

export function FieldProblems({
  problems,
  id,
}: {
  readonly problems: readonly Problem[];
  readonly id: string;
}): ReactNode {
  return (
    <div id={id} className="oxe-field-problems">
      {problems.map(({ code, severity, message, hint, range }) => (
        <p key={`${code} ${range?.start ?? ""} ${message}`} className={`oxe-problem ${severity}`}>
          <span className="oxe-only-read">{severity === "error" ? "Error: " : "Warning: "}</span>
          {sentence(message)} <span className="oxe-problem-hint">{hint}</span>
        </p>
      ))}
    </div>
  );
}

/** Messages begin small, as parts of a line; here they are whole lines. */
export const sentence = (message: string): string =>
  `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`;
