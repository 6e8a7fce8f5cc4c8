/** The form of the filters. Each change is another address, so that "back" undoes it, and the address can be shared. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { RUN_ACTIVITIES, RUN_STATUSES } from "../../../../server/src/run-states.ts";
import { workflowsQuery } from "../../api/workflows.ts";
import { InputField } from "../../parts/field.tsx";
import {
  Choice,
  FilterForm,
  ID_ONLY,
  type TextFilter,
  TextFilters,
} from "../../parts/filter-form.tsx";
import { textOf } from "../../parts/form-dialog.tsx";
import { readRunsSearch, type RunsSearch, SINCE } from "./runs-search.ts";

type Filter = TextFilter<
  "error" | "input" | "key" | "message" | "parent" | "schedule" | "tags" | "version"
>;

const TEXTS: readonly Filter[] = [
  { name: "tags", label: "Tags contain", placeholder: "customer=7" },
  { name: "input", label: "Input contains", placeholder: "order.id=42" },
  { name: "message", label: "Error contains", placeholder: "declined" },
];

const RARE_TEXTS: readonly Filter[] = [
  { name: "error", label: "Error code", placeholder: "CARD_DECLINED" },
  { name: "version", label: "Version", placeholder: "3" },
  { name: "key", label: "Idempotency key", placeholder: "order-42" },
  { name: "parent", label: "Parent run", placeholder: "123" },
  { name: "schedule", label: "Schedule", placeholder: "nightly" },
];

const SINCE_OPTIONS = [
  ["", "at any time"],
  ...Object.entries(SINCE).map(([value, { title }]) => [value, title] as const),
] as const;

export function RunFilters({ search }: { search: RunsSearch }): ReactNode {
  const navigate = useNavigate();
  const { data } = useQuery(workflowsQuery);
  const names = [
    ...new Set([...(data?.workflows ?? []).map(({ name }) => name), search.workflow ?? ""]),
  ].filter((name) => name !== "");

  const apply = (fields: FormData): void => {
    const runId = textOf(fields, "id");
    if (runId !== undefined) {
      void navigate({ to: "/runs/$runId", params: { runId } });
      return;
    }
    const { from, to } = search;
    const next = readRunsSearch({ ...Object.fromEntries(fields), from, to });
    if (JSON.stringify(next) !== JSON.stringify({ ...search, before: undefined })) {
      void navigate({ to: "/runs", search: next });
    }
  };

  return (
    <FilterForm label="Runs" onApply={apply}>
      <Choice
        label="Workflow"
        name="workflow"
        value={search.workflow}
        options={[["", "all"], ...names]}
      />
      <Choice
        label="Status"
        name="status"
        value={search.status}
        options={[["", "all"], ...RUN_STATUSES, "paused"]}
      />
      <Choice
        label="Activity"
        name="activity"
        value={search.activity}
        options={[["", "any"], ...RUN_ACTIVITIES]}
      />
      <Choice label="Started" name="since" value={search.since} options={SINCE_OPTIONS} />
      <InputField label="Run id" {...ID_ONLY} name="id" placeholder="123" inputMode="numeric" />
      <TextFilters of={TEXTS} search={search} />
      <details
        className="more"
        open={
          RARE_TEXTS.some(({ name }) => search[name] !== undefined) || search.ended !== undefined
        }
      >
        <summary>More filters</summary>
        <div className="filters">
          <Choice label="Ended" name="ended" value={search.ended} options={SINCE_OPTIONS} />
          <TextFilters of={RARE_TEXTS} search={search} />
        </div>
      </details>
    </FilterForm>
  );
}
