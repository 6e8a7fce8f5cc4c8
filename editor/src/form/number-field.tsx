/** A field with a number from 1. */
import type { ReactNode } from "react";
import { LabelledField } from "./labelled-field.tsx";

export function NumberField({
  label,
  pointer,
  value,
  placeholder,
  onChange,
}: {
  readonly label: string;
  readonly pointer: string;
  readonly value: number | undefined;
  readonly placeholder?: string;
  readonly onChange: (value: number | undefined) => void;
}): ReactNode {
  return (
    <LabelledField label={label} pointer={pointer}>
      {(attributes) => (
        <input
          {...attributes}
          type="number"
          min={1}
          placeholder={placeholder}
          value={value ?? ""}
          onChange={({ target }) =>
            onChange(Number.isNaN(target.valueAsNumber) ? undefined : target.valueAsNumber)
          }
        />
      )}
    </LabelledField>
  );
}
