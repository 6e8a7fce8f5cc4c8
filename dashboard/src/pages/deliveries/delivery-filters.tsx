/** The form of the filters. Each change is another address. */
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Choice, FilterForm, ID_ONLY, TextFilters } from "../../parts/filter-form.tsx";
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
      <Choice
        label="Status"
        name="status"
        value={search.status}
        options={[["", "any"], ...STATUSES]}
      />
      <TextFilters of={TEXTS} search={search} />
    </FilterForm>
  );
}
