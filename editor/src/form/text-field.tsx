/** A field of plain text: titles, descriptions, durations. */
import { type ReactNode, useId } from "react";
import { valueAt } from "../document/places.ts";
import { useEditor, useStore } from "../state/use-editor.ts";
import { LabelledField } from "./labelled-field.tsx";
import { setValue } from "./set-value.ts";

export function TextField({
  pointer,
  label,
  placeholder,
  isLong = false,
  hint,
  choices,
}: {
  readonly pointer: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly isLong?: boolean;
  readonly hint?: string;
  /** Values that are offered; others can be typed. */
  readonly choices?: readonly string[];
}): ReactNode {
  const store = useStore();
  const listId = useId();
  const value = useEditor(({ drawing }) => valueAt(drawing.document, pointer));
  const change = (text: string): void => setValue(store, pointer, text === "" ? undefined : text);
  return (
    <LabelledField label={label} pointer={pointer} hint={hint}>
      {(given) => {
        const attributes = {
          ...given,
          placeholder,
          value: typeof value === "string" || typeof value === "number" ? value : "",
          onBlur: () => store.endGesture(),
        };
        return isLong ? (
          <textarea {...attributes} rows={2} onChange={({ target }) => change(target.value)} />
        ) : (
          <>
            <input
              {...attributes}
              list={choices === undefined ? undefined : listId}
              onChange={({ target }) => change(target.value)}
            />
            {choices === undefined ? null : (
              <datalist id={listId}>
                {choices.map((choice) => (
                  <option key={choice} value={choice} />
                ))}
              </datalist>
            )}
          </>
        );
      }}
    </LabelledField>
  );
}
