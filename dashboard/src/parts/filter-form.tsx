/** The form of a list's filters: what changes applies immediately, and Enter or the button applies, too. */
import {
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useLayoutEffect,
  useRef,
} from "react";
import { InputField, SelectField } from "./field.tsx";

export function FilterForm({
  label,
  onApply,
  children,
}: {
  readonly label: string;
  readonly onApply: (fields: FormData) => void;
  readonly children: ReactNode;
}): ReactNode {
  const form = useKeptFocus(label);
  return (
    <form
      ref={form}
      role="search"
      aria-label={label}
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        onApply(new FormData(event.currentTarget));
      }}
    >
      {children}
      <button type="submit" className="only-read">
        Search
      </button>
    </form>
  );
}

/** The control that had the focus in a form which is being replaced. */
let focused: { readonly label: string; readonly name: string } | undefined;

/** Other filters are another form, in which the same control keeps the focus. */
function useKeptFocus(label: string): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    const shown = form.current;
    if (focused?.label === label) {
      const control = shown?.elements.namedItem(focused.name);
      if (control instanceof HTMLElement) control.focus();
    }
    focused = undefined;
    return () => {
      const active = document.activeElement;
      const name = active?.getAttribute("name") ?? "";
      focused = name !== "" && shown?.contains(active) === true ? { label, name } : undefined;
    };
  }, [label]);
  return form;
}

/** A filter with one of several values, which are also their titles unless those are given. */
export const Choice = ({
  label,
  name,
  value = "",
  options,
}: {
  readonly label: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly options: readonly (string | readonly [value: string, title: string])[];
}): ReactNode => (
  <SelectField
    label={label}
    key={options.length}
    name={name}
    defaultValue={value}
    onChange={applyForm}
  >
    {options.map((option) => {
      const [own, title] = typeof option === "string" ? [option, option] : option;
      return (
        <option key={own} value={own}>
          {title}
        </option>
      );
    })}
  </SelectField>
);

/** Applies the form that a control belongs to. */
export const applyForm = ({
  currentTarget,
}: SyntheticEvent<HTMLInputElement | HTMLSelectElement>): void =>
  currentTarget.form?.requestSubmit();

/** Applies the form once the focus has moved on: to a control of a form that is being replaced it would be lost. */
function applyAfterFocus({ currentTarget: { form } }: SyntheticEvent<HTMLInputElement>): void {
  setTimeout(() => {
    if (form?.isConnected === true) form.requestSubmit();
  });
}

/** The text of a filter that takes an id. The browser refuses another one, and shows the title. */
export const ID_ONLY = { pattern: String.raw`\s*\d{1,18}\s*`, title: "Write the digits of an id." };

export interface TextFilter<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly placeholder: string;
  /** A regular expression. */
  readonly pattern?: string;
  readonly title?: string;
}

export const TextFilters = <Name extends string>({
  of: filters,
  search,
}: {
  readonly of: readonly TextFilter<Name>[];
  readonly search: Readonly<Partial<Record<Name, string | undefined>>>;
}): ReactNode =>
  filters.map(({ name, label, ...text }) => (
    <InputField
      key={name}
      label={label}
      {...text}
      name={name}
      defaultValue={search[name] ?? ""}
      onBlur={applyAfterFocus}
    />
  ));
