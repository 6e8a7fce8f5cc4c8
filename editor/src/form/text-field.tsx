/** A field of plain text: titles, descriptions, durations. */
import { type ReactNode, useId } from "react";
import { valueAt } from "../document/places.ts";
import { FieldProblems, useProblemsAt } from "../problems/field-problems.tsx";
import { useEditor, useStore } from "../state/use-editor.ts";
import { setValue } from "./set-value.ts";

export function TextField({
  pointer,
  label,
  placeholder,
  isLong = false,
  hint,
}: {
  readonly pointer: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly isLong?: boolean;
  readonly hint?: string;
}): ReactNode {
  const store = useStore();
  const id = useId();
  const value = useEditor(({ drawing }) => valueAt(drawing.document, pointer));
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const problems = useProblemsAt(pointer);
  const attributes = {
    id,
    placeholder,
    disabled: isReadOnly,
    "aria-describedby": `${id}-problems`,
    value: typeof value === "string" || typeof value === "number" ? value : "",
    onBlur: () => store.endGesture(),
  };
  const change = (text: string): void => setValue(store, pointer, text === "" ? undefined : text);
  return (
    <div className="oxe-field" data-pointer={pointer}>
      <label className="oxe-label" htmlFor={id}>
        {label}
      </label>
      {isLong ? (
        <textarea {...attributes} rows={2} onChange={({ target }) => change(target.value)} />
      ) : (
        <input {...attributes} onChange={({ target }) => change(target.value)} />
      )}
      {hint === undefined ? null : <p className="oxe-hint">{hint}</p>}
      <FieldProblems id={`${id}-problems`} problems={problems} />
    </div>
  );
}
