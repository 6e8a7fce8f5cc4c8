/** The form of a list's filters: what changes applies at once, and Enter or the button applies, too. */
import type { ReactNode, SyntheticEvent } from "react";
import { Field } from "./field.tsx";

export const FilterForm = ({
  label,
  onApply,
  children,
}: {
  readonly label: string;
  readonly onApply: (fields: FormData) => void;
  readonly children: ReactNode;
}): ReactNode => (
  <form
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

/** Applies the form that a control belongs to. */
export const applyForm = ({
  currentTarget,
}: SyntheticEvent<HTMLInputElement | HTMLSelectElement>): void =>
  currentTarget.form?.requestSubmit();

export interface TextFilter<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly placeholder: string;
}

export const TextFilters = <Name extends string>({
  of: filters,
  search,
}: {
  readonly of: readonly TextFilter<Name>[];
  readonly search: Readonly<Partial<Record<Name, string | undefined>>>;
}): ReactNode =>
  filters.map(({ name, label, placeholder }) => (
    <Field key={name} label={label}>
      {(attributes) => (
        <input
          {...attributes}
          name={name}
          placeholder={placeholder}
          defaultValue={search[name] ?? ""}
          onBlur={applyForm}
        />
      )}
    </Field>
  ));
