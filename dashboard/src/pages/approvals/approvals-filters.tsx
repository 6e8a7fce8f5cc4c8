/** The form of the filters. Each change is another address, so that "back" undoes it, and the address can be shared. */
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { applyForm, Choice, FilterForm, ID_ONLY, TextFilters } from "../../parts/filter-form.tsx";
import { type ApprovalsSearch, readApprovalsSearch } from "./approvals-search.ts";

const TEXTS = [
  {
    name: "workflow",
    label: "Workflow",
    placeholder: "refund",
    pattern: String.raw`\s*[a-z0-9][a-z0-9_\-]{0,42}\s*`,
    title: "Write the name of a workflow, of small letters, digits, hyphens and underscores.",
  },
  { name: "approver", label: "Approver", placeholder: "ada@example.com" },
  { name: "runId", label: "Run", placeholder: "42", ...ID_ONLY },
] as const;

export function ApprovalsFilters({ search }: { search: ApprovalsSearch }): ReactNode {
  const navigate = useNavigate();
  const { cursor: _cursor, ...filters } = search;
  const apply = (fields: FormData): void => {
    const next = readApprovalsSearch(Object.fromEntries(fields));
    if (JSON.stringify(next) === JSON.stringify(filters)) return;
    void navigate({ to: "/approvals", search: next });
  };
  return (
    <FilterForm label="Approvals" onApply={apply}>
      <Choice
        label="State"
        name="state"
        value={search.state}
        options={[["", "waiting"], "decided", "all"]}
      />
      <TextFilters of={TEXTS} search={search} />
      <label className="check">
        <input
          type="checkbox"
          name="mine"
          defaultChecked={search.mine === true}
          onChange={applyForm}
        />
        Mine to decide
      </label>
    </FilterForm>
  );
}
