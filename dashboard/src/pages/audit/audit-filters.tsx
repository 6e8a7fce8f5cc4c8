/** The form of the filters. Each change is another address, so that "back" undoes it, and the address can be shared. */
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { FilterForm, TextFilters } from "../../parts/filter-form.tsx";
import { type AuditSearch, readAuditSearch } from "./audit-search.ts";

const TEXTS = [
  { name: "actor", label: "Actor", placeholder: "ada@example.com" },
  { name: "action", label: "Action", placeholder: "run.cancel" },
  { name: "subjectType", label: "Kind of object", placeholder: "run" },
  { name: "subject", label: "Object", placeholder: "42" },
] as const;

export function AuditFilters({ search }: { search: AuditSearch }): ReactNode {
  const navigate = useNavigate();
  const apply = (fields: FormData): void => {
    const next = readAuditSearch(Object.fromEntries(fields));
    if (JSON.stringify(next) === JSON.stringify({ ...search, cursor: undefined })) return;
    void navigate({ to: "/audit", search: next });
  };
  return (
    <FilterForm label="Audit" onApply={apply}>
      <TextFilters of={TEXTS} search={search} />
    </FilterForm>
  );
}
