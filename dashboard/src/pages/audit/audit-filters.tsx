/** The form of the filters. Each change is another address, so that "back" undoes it, and the address can be shared. */
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { Field } from "../../parts/field.tsx";
import { type AuditSearch, readAuditSearch } from "./audit-search.ts";

const TEXTS = [
  { name: "actor", label: "Actor", placeholder: "ada@example.com" },
  { name: "action", label: "Action", placeholder: "run.cancel" },
  { name: "subjectType", label: "Kind of object", placeholder: "run" },
  { name: "subject", label: "Object", placeholder: "42" },
] as const;

export function AuditFilters({ search }: { search: AuditSearch }): ReactNode {
  const form = useRef<HTMLFormElement>(null);
  const navigate = useNavigate();
  const apply = (): void => {
    if (form.current === null) return;
    const next = readAuditSearch(Object.fromEntries(new FormData(form.current)));
    if (JSON.stringify(next) === JSON.stringify({ ...search, cursor: undefined })) return;
    void navigate({ to: "/audit", search: next });
  };
  return (
    <form
      ref={form}
      role="search"
      aria-label="Audit"
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      {TEXTS.map(({ name, label, placeholder }) => (
        <Field key={name} label={label}>
          {(attributes) => (
            <input
              {...attributes}
              name={name}
              placeholder={placeholder}
              defaultValue={search[name] ?? ""}
              onBlur={apply}
            />
          )}
        </Field>
      ))}
      <button type="submit" className="only-read">
        Search
      </button>
    </form>
  );
}
