/** The node types and the types of resources that workers have registered, and the definitions that name a resource. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type NodeType, nodeTypesQuery } from "../../api/catalog.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { DetailsDialog } from "../../parts/details-dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { FilterForm, TextFilters } from "../../parts/filter-form.tsx";
import { JsonViewer } from "../../parts/json/json-viewer.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { type CatalogSearch, readCatalogSearch } from "./catalog-search.ts";
import { Resources } from "./resources.tsx";

const route = getRouteApi("/catalog");

export function CatalogPage(): ReactNode {
  const search = route.useSearch();
  const navigate = useNavigate();
  const query = useQuery(nodeTypesQuery);
  const { node, ...rest } = search;
  return (
    <Page title="Catalog">
      <h2>Node types</h2>
      <Filters key={JSON.stringify(rest)} search={search} />
      <Answered query={query}>
        {({ nodeTypes }) => (
          <>
            <Table
              caption="Node types"
              columns={columnsFor(search)}
              rows={nodeTypes.filter((each) => matches(each, search))}
              keyOf={(each) => `${each.pool} ${nameOf(each)}`}
              empty={
                <Empty title="No node type is registered.">
                  <p>
                    Workers that serve definitions register their node types when they start, those
                    of your application included.
                  </p>
                </Empty>
              }
            />
            <DetailsDialog
              title={nameOf}
              of={nodeTypes.find(
                (each) =>
                  nameOf(each) === node && (rest.pool === undefined || each.pool === rest.pool),
              )}
              onClose={() => void navigate({ to: "/catalog", search: rest })}
            >
              {(each) => (
                <>
                  <p className="description">{memberOf(each, "description")}</p>
                  <JsonViewer label="Descriptor" value={each.descriptor} />
                </>
              )}
            </DetailsDialog>
          </>
        )}
      </Answered>
      <Resources search={search} />
    </Page>
  );
}

const nameOf = ({ type, version }: NodeType): string => `${type}@${version}`;

function memberOf({ descriptor }: NodeType, name: string): string {
  const value = (descriptor as Readonly<Record<string, unknown>> | null)?.[name];
  return typeof value === "string" ? value : "";
}

function matches(each: NodeType, { text = "", pool }: CatalogSearch): boolean {
  const found = `${nameOf(each)} ${memberOf(each, "title")} ${memberOf(each, "category")}`;
  return (
    found.toLowerCase().includes(text.toLowerCase()) && (pool === undefined || each.pool === pool)
  );
}

const columnsFor = (search: CatalogSearch): readonly Column<NodeType>[] => [
  {
    title: "Type",
    cell: (each) => (
      <Link to="/catalog" search={{ ...search, node: nameOf(each), pool: each.pool }}>
        {nameOf(each)}
      </Link>
    ),
  },
  { title: "Title", kind: "long", cell: (each) => memberOf(each, "title") },
  { title: "Category", wide: true, cell: (each) => memberOf(each, "category") },
  { title: "Effects", wide: true, cell: (each) => memberOf(each, "effects") },
  { title: "Pool", cell: ({ pool }) => pool },
  {
    title: "Workers",
    cell: ({ isServed }) => (
      <Badge text={isServed ? "served" : "not served"} look={isServed ? "completed" : "paused"} />
    ),
  },
  { title: "Last seen", wide: true, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
];

const TEXTS = [
  { name: "text", label: "Node type", placeholder: "http" },
  { name: "pool", label: "Pool", placeholder: "default" },
] as const;

function Filters({ search }: { readonly search: CatalogSearch }): ReactNode {
  const navigate = useNavigate();
  const { resource, id } = search;
  const apply = (fields: FormData): void => {
    const next = {
      ...readCatalogSearch(Object.fromEntries(fields)),
      ...(resource === undefined ? {} : { resource }),
      ...(id === undefined ? {} : { id }),
    };
    if (next.text === search.text && next.pool === search.pool) return;
    void navigate({ to: "/catalog", search: next });
  };
  return (
    <FilterForm label="Node types" onApply={apply}>
      <TextFilters of={TEXTS} search={search} />
    </FilterForm>
  );
}
