/** Text with expressions, or one expression: mistakes are underlined in place, and paths are completed. */
import type { Problem } from "@oxbow/declared/check";
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { IconButton } from "../catalog/icon.tsx";
import { type ListReadable, useReadable } from "./readable.ts";
import { useValueList } from "./value-list.tsx";

/** The beginning of a path, before the caret. */
const WORD = /[A-Za-z_][\w.]*$/;

export function ExpressionInput({
  kind,
  inputId,
  value,
  onChange,
  onBlur,
  readable,
  problems,
  label,
  describedBy,
  placeholder,
  name,
  isReadOnly = false,
  isRequired = false,
}: {
  /** `text`: expressions stand in braces. */
  readonly kind: "cel" | "text";
  /** Id of the text field, for its label. */
  readonly inputId?: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly onBlur?: () => void;
  readonly readable: ListReadable;
  readonly problems: readonly Problem[];
  readonly label: string;
  readonly describedBy: string;
  readonly placeholder?: string;
  /** Name of the text field, for the form around it. */
  readonly name?: string;
  /** The text can be selected, and not changed. */
  readonly isReadOnly?: boolean;
  readonly isRequired?: boolean;
}): ReactNode {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  /** Where the caret goes after an insertion. */
  const caretAfter = useRef<number>(undefined);
  /** The text that is being completed; undefined otherwise. */
  const [completed, setCompleted] = useState<{ readonly start: number; readonly end: number }>();
  const isOpen = completed !== undefined;
  const values = useReadable(isOpen, readable);
  const filter = completed === undefined ? "" : value.slice(completed.start, completed.end);
  const list = useValueList(`${id}-list`, values, filter, ({ path }) => {
    if (completed === undefined) return;
    const { start, end } = completed;
    const isBare = kind === "text" && !isInBraces(value, start);
    const inserted = isBare ? `{{ ${path} }}` : path;
    onChange(value.slice(0, start) + inserted + value.slice(end));
    setCompleted(undefined);
    caretAfter.current = start + inserted.length;
  });
  // Before the next key, which would otherwise go where the caret was.
  useLayoutEffect(() => {
    if (caretAfter.current === undefined) return;
    area.current?.focus();
    area.current?.setSelectionRange(caretAfter.current, caretAfter.current);
    caretAfter.current = undefined;
  });
  const isShown = isOpen && !list.isEmpty;

  const complete = (text: string, caret: number): void => {
    if (kind === "text" && !isInBraces(text, caret)) {
      setCompleted(undefined);
      return;
    }
    const [word] = WORD.exec(text.slice(0, caret)) ?? [];
    setCompleted(word === undefined ? undefined : { start: caret - word.length, end: caret });
  };

  const insert = (): void => {
    const caret = area.current?.selectionStart ?? value.length;
    setCompleted(isOpen ? undefined : { start: caret, end: caret });
    area.current?.focus();
  };

  return (
    <div className="oxe-expression">
      <div className="oxe-expression-text">
        <pre aria-hidden="true">{underlined(value, problems)}</pre>
        <textarea
          ref={area}
          id={inputId}
          rows={1}
          className="oxe-mono"
          aria-label={label}
          aria-describedby={describedBy}
          aria-invalid={problems.some(({ severity }) => severity === "error")}
          aria-autocomplete={isReadOnly ? undefined : "list"}
          aria-controls={isShown ? list.id : undefined}
          aria-activedescendant={isShown ? list.activeId : undefined}
          spellCheck={kind === "text"}
          placeholder={placeholder}
          name={name}
          readOnly={isReadOnly}
          required={isRequired}
          value={value}
          onChange={({ target }) => {
            onChange(target.value);
            complete(target.value, target.selectionStart);
          }}
          onBlur={() => {
            setCompleted(undefined);
            onBlur?.();
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape" && isOpen) {
              event.stopPropagation();
              setCompleted(undefined);
            } else if (event.key === " " && event.ctrlKey && !isReadOnly) {
              event.preventDefault();
              insert();
            } else if (isShown && list.onKey(event.key)) event.preventDefault();
            else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
              setCompleted(undefined);
            }
          }}
        />
        {isReadOnly ? null : (
          <IconButton
            icon="braces"
            size={15}
            label={`Insert a value into ${label}`}
            title="Insert a value (Ctrl+Space)"
            onPointerDown={(event) => event.preventDefault()}
            onClick={insert}
          />
        )}
      </div>
      {isShown ? list.element : null}
    </div>
  );
}

/** Whether a place of a text is between `{{` and `}}`. */
function isInBraces(text: string, at: number): boolean {
  const before = text.slice(0, at);
  return before.lastIndexOf("{{") > before.lastIndexOf("}}");
}

/** The text with the ranges of problems as marks, which lie below the text field. */
function underlined(text: string, problems: readonly Problem[]): ReactNode {
  const ranges = problems
    .flatMap(({ range, severity }) => (range === undefined ? [] : [{ ...range, severity }]))
    .toSorted((a, b) => a.start - b.start);
  const parts: ReactNode[] = [];
  let done = 0;
  for (const { start, end, severity } of ranges) {
    if (start < done || start >= text.length) continue;
    parts.push(
      text.slice(done, start),
      <mark key={start} className={severity}>
        {text.slice(start, Math.max(end, start + 1))}
      </mark>,
    );
    done = Math.max(end, start + 1);
  }
  // A last line that is empty has its height by the space.
  return [...parts, `${text.slice(done)} `];
}
