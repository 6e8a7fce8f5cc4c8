/** All problems of the document. A press leads to the field. */
import type { Problem } from "@oxbow/declared/check";
import type { ReactNode } from "react";
import { Icon } from "../catalog/icon.tsx";
import { titleOf } from "../document/connections.ts";
import { useEditor } from "../state/use-editor.ts";
import { sentence } from "./field-problems.tsx";

export function ProblemList({
  onShow,
}: {
  readonly onShow: (problem: Problem) => void;
}): ReactNode {
  const problems = useEditor((state) => state.problems);
  const document = useEditor(({ drawing }) => drawing.document);
  return (
    <section className="oxe-problem-list" aria-label="Problems">
      {problems.length === 0 ? <p className="oxe-hint">No problems.</p> : null}
      <ul>
        {problems.map((problem) => (
          <li
            key={`${problem.code} ${problem.pointer} ${problem.range?.start ?? ""} ${problem.message}`}
          >
            <button type="button" className={problem.severity} onClick={() => onShow(problem)}>
              <Icon name="warning" size={15} />
              <strong>
                {problem.node === undefined ? "Workflow" : titleOf(document, problem.node)}
              </strong>
              <span>
                {sentence(problem.message)} <span className="oxe-hint">{problem.hint}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
