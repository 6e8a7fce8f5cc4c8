/** The form of the filters. Each change is another address, so that "back" undoes it, and the address can be shared. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { workflowsQuery } from "../../api/workflows.ts";
import { Field } from "../../parts/field.tsx";
import { textOf } from "../../parts/form-dialog.tsx";
import { ACTIVITIES, readRunsSearch, type RunsSearch, SINCE, STATUSES } from "./runs-search.ts";

interface TextFilter {
  readonly name: "error" | "input" | "key" | "message" | "parent" | "schedule" | "tags" | "version";
  readonly label: string;
  readonly placeholder: string;
}

const TEXTS: readonly TextFilter[] = [
  { name: "tags", label: "Tags contain", placeholder: "customer=7" },
  { name: "input", label: "Input contains", placeholder: "order.id=42" },
  { name: "message", label: "Error contains", placeholder: "declined" },
];

const RARE_TEXTS: readonly TextFilter[] = [
  { name: "error", label: "Error code", placeholder: "CARD_DECLINED" },
  { name: "version", label: "Version", placeholder: "3" },
  { name: "key", label: "Idempotency key", placeholder: "order-42" },
  { name: "parent", label: "Parent run", placeholder: "123" },
  { name: "schedule", label: "Schedule", placeholder: "nightly" },
];

const sinceOptions = (): [string, string][] => [
  ["", "at any time"],
  ...Object.entries(SINCE).map(([value, { title }]): [string, string] => [value, title]),
];

export function RunFilters({ search }: { search: RunsSearch }): ReactNode {
  const form = useRef<HTMLFormElement>(null);
  const navigate = useNavigate();
  const { data } = useQuery(workflowsQuery);
  const names = [
    ...new Set([...(data?.workflows ?? []).map(({ name }) => name), search.workflow ?? ""]),
  ].filter((name) => name !== "");

  const apply = (): void => {
    if (form.current === null) return;
    const fields = new FormData(form.current);
    const runId = textOf(fields, "id");
    if (runId !== undefined && /^\d{1,18}$/.test(runId)) {
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
    <form
      ref={form}
      role="search"
      aria-label="Runs"
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <Choice
        label="Workflow"
        name="workflow"
        value={search.workflow}
        options={[["", "all"], ...names.map((name): [string, string] => [name, name])]}
        onChange={apply}
      />
      <Choice
        label="Status"
        name="status"
        value={search.status}
        options={[
          ["", "all"],
          ...[...STATUSES, "paused"].map((one): [string, string] => [one, one]),
        ]}
        onChange={apply}
      />
      <Choice
        label="Activity"
        name="activity"
        value={search.activity}
        options={[["", "any"], ...ACTIVITIES.map((one): [string, string] => [one, one])]}
        onChange={apply}
      />
      <Choice
        label="Started"
        name="since"
        value={search.since}
        options={sinceOptions()}
        onChange={apply}
      />
      <Texts of={TEXTS} search={search} onChange={apply} />
      <Field label="Run id">
        {(attributes) => <input {...attributes} name="id" placeholder="123" inputMode="numeric" />}
      </Field>
      <details
        className="more"
        open={
          RARE_TEXTS.some(({ name }) => search[name] !== undefined) || search.ended !== undefined
        }
      >
        <summary>More filters</summary>
        <div className="filters">
          <Choice
            label="Ended"
            name="ended"
            value={search.ended}
            options={sinceOptions()}
            onChange={apply}
          />
          <Texts of={RARE_TEXTS} search={search} onChange={apply} />
        </div>
      </details>
      <button type="submit" className="only-read">
        Search
      </button>
    </form>
  );
}

const Texts = ({
  of: filters,
  search,
  onChange,
}: {
  readonly of: readonly TextFilter[];
  readonly search: RunsSearch;
  readonly onChange: () => void;
}): ReactNode =>
  filters.map(({ name, label, placeholder }) => (
    <Field key={name} label={label}>
      {(attributes) => (
        <input
          {...attributes}
          name={name}
          placeholder={placeholder}
          defaultValue={search[name] ?? ""}
          onBlur={onChange}
        />
      )}
    </Field>
  ));

const Choice = ({
  label,
  name,
  value = "",
  options,
  onChange,
}: {
  readonly label: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly options: readonly (readonly [string, string])[];
  readonly onChange: () => void;
}): ReactNode => (
  <Field label={label}>
    {(attributes) => (
      <select
        {...attributes}
        key={options.length}
        name={name}
        defaultValue={value}
        onChange={onChange}
      >
        {options.map(([option, title]) => (
          <option key={option} value={option}>
            {title}
          </option>
        ))}
      </select>
    )}
  </Field>
);
