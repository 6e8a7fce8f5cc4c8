/** The path of a value that is read, chosen from what exists, or typed. */
import type { JsonSchema, ReadablePlace } from "@oxbow/declared/check";
import { type ReactNode, useId, useState } from "react";
import type { AriaAttributes } from "./nested-field.ts";
import { useReadable, useReadableAt } from "./readable.ts";
import { useValueList } from "./value-list.tsx";

export function ReferenceInput({
  value,
  onChange,
  place,
  wanted,
  aria,
}: {
  readonly value: string;
  readonly onChange: (path: string) => void;
  readonly place: ReadablePlace;
  readonly wanted: JsonSchema | undefined;
  readonly aria: AriaAttributes;
}): ReactNode {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  // All are offered until the user types.
  const [filter, setFilter] = useState("");
  const values = useReadable(isOpen, useReadableAt(place, wanted));
  const list = useValueList(`${id}-list`, values, filter, ({ path }) => {
    onChange(path);
    setOpen(false);
  });
  const open = (): void => {
    setFilter("");
    setOpen(true);
  };
  const isShown = isOpen && !list.isEmpty;
  return (
    <div className="oxe-reference">
      <input
        className="oxe-mono"
        role="combobox"
        {...aria}
        aria-expanded={isShown}
        aria-controls={list.id}
        aria-autocomplete="list"
        aria-activedescendant={isShown ? list.activeId : undefined}
        placeholder="Choose a value"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onFocus={open}
        onClick={open}
        onBlur={() => setOpen(false)}
        onChange={(event) => {
          setFilter(event.target.value);
          setOpen(true);
          onChange(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape" && isOpen) {
            event.stopPropagation();
            setOpen(false);
          } else if (!isOpen && event.key === "ArrowDown") open();
          else if (isShown && list.onKey(event.key)) event.preventDefault();
        }}
      />
      {isShown ? list.element : null}
    </div>
  );
}
