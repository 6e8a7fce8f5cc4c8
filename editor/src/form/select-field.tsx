/** A field with one of several values. */
import type { ReactNode } from "react";
import { LabelledField } from "./labelled-field.tsx";

export function SelectField({
  label,
  pointer,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly pointer: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, title: string])[];
  readonly onChange: (value: string) => void;
}): ReactNode {
  return (
    <LabelledField label={label} pointer={pointer}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={({ target }) => onChange(target.value)}>
          {options.map(([each, title]) => (
            <option key={each} value={each}>
              {title}
            </option>
          ))}
        </select>
      )}
    </LabelledField>
  );
}
