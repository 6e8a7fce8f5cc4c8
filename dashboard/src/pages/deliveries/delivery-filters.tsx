/** The form of the filters. Each change is another address. */
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { SelectField } from "../../parts/field.tsx";
import { applyForm, FilterForm, ID_ONLY, TextFilters } from "../../parts/filter-form.tsx";
import { type DeliveriesSearch, readDeliveriesSearch, STATUSES } from "./deliveries-search.ts";

const TEXTS = [
  { name: "subscription", label: "Subscription", placeholder: "42", ...ID_ONLY },
] as const;

export function DeliveryFilters({ search }: { search: DeliveriesSearch }): ReactNode {
  const navigate = useNavigate();
  const apply = (fields: FormData): void => {
    const next = readDeliveriesSearch(Object.fromEntries(fields));
    if (next.status === search.status && next.subscription === search.subscription) return;
    void navigate({ to: "/deliveries", search: next });
  };
  return (
    <FilterForm label="Deliveries" onApply={apply}>
      <SelectField
        label="Status"
        name="status"
        defaultValue={search.status ?? ""}
        onChange={applyForm}
      >
        <option value="">any</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {status}
          </option>
        ))}
      </SelectField>
      <TextFilters of={TEXTS} search={search} />
    </FilterForm>
  );
}
