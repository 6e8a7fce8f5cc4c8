/** A control with its label, and the problems of its place in the document. */
import { type ReactNode, useId } from "react";
import { FieldProblems, useProblemsAt } from "../problems/field-problems.tsx";
import { useEditor } from "../state/use-editor.ts";

export interface ControlAttributes {
  readonly id: string;
  readonly disabled: boolean;
  readonly "aria-describedby": string;
}

export function LabelledField({
  label,
  pointer,
  hint,
  children,
}: {
  readonly label: string;
  readonly pointer: string;
  readonly hint?: string | undefined;
  readonly children: (attributes: ControlAttributes) => ReactNode;
}): ReactNode {
  const id = useId();
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const problems = useProblemsAt(pointer);
  const describedBy = `${id}-problems`;
  return (
    <div className="oxe-field" data-pointer={pointer}>
      <label className="oxe-label" htmlFor={id}>
        {label}
      </label>
      {children({ id, disabled: isReadOnly, "aria-describedby": describedBy })}
      {hint === undefined ? null : <p className="oxe-hint">{hint}</p>}
      <FieldProblems id={describedBy} problems={problems} />
    </div>
  );
}
