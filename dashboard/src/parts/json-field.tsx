import type { ReactNode } from "react";
import { Field } from "./field.tsx";

/** JSON that a form takes as text; `parseJson` reads it. A field that isn't required may be left empty. */
export const JsonField = ({
  label,
  name,
  rows,
  initial,
  onChange,
  isRequired = false,
  hint = isRequired ? "JSON." : "JSON; empty for no value.",
}: {
  readonly label: string;
  readonly name: string;
  readonly rows: number;
  readonly initial?: string;
  readonly onChange?: (text: string) => void;
  readonly isRequired?: boolean;
  readonly hint?: string | undefined;
}): ReactNode => (
  <Field label={label} hint={hint}>
    {(attributes) => (
      <textarea
        {...attributes}
        name={name}
        rows={rows}
        className="mono"
        spellCheck={false}
        required={isRequired}
        defaultValue={initial}
        onChange={({ target }) => onChange?.(target.value)}
      />
    )}
  </Field>
);
