/** The types of resources, and what names one of them. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import {
  type Reference,
  referencesQuery,
  type ResourceType,
  resourceTypesQuery,
} from "../../api/catalog.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { InputField } from "../../parts/field.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { type CatalogSearch, readCatalogSearch } from "./catalog-search.ts";

export function Resources({ search }: { readonly search: CatalogSearch }): ReactNode {
  const query = useQuery(resourceTypesQuery);
  const { resource, id } = search;
  return (
    <>
      <h2>Types of resources</h2>
      <Answered query={query}>
        {({ types }) => (
          <Table
            caption="Types of resources"
            columns={TYPES}
            rows={types}
            keyOf={({ name }) => name}
            empty={
              <Empty title="No type of resources is registered.">
                <p>
                  Workers register the types that <code>defineResource</code> makes.
                </p>
              </Empty>
            }
          />
        )}
      </Answered>
      <h2>What names a resource?</h2>
      <Asked search={search} />
      {resource === undefined || id === undefined ? (
        <p className="soft">Enter a type and an id, such as before you delete a resource.</p>
      ) : (
        <References type={resource} id={id} />
      )}
    </>
  );
}

const TYPES: readonly Column<ResourceType>[] = [
  { title: "Type", cell: ({ name }) => name },
  { title: "Title", kind: "long", cell: ({ title }) => title },
  { title: "Pool", cell: ({ pool }) => pool },
  { title: "Table", wide: true, cell: ({ tableName }) => tableName },
  {
    title: "Rows",
    cell: ({ protectedTable }) =>
      protectedTable === null ? (
        <span className="soft">not protected</span>
      ) : (
        <Badge text="protected" look="completed" />
      ),
  },
];

function Asked({ search }: { readonly search: CatalogSearch }): ReactNode {
  const navigate = useNavigate();
  const apply = (fields: FormData): void => {
    const { resource, id } = readCatalogSearch(Object.fromEntries(fields));
    void navigate({ to: "/catalog", search: { ...search, resource, id } });
  };
  return (
    <form
      role="search"
      aria-label="A resource"
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        apply(new FormData(event.currentTarget));
      }}
    >
      <InputField
        label="Type of the resource"
        name="resource"
        required
        placeholder="Severity"
        defaultValue={search.resource}
      />
      <InputField label="Its id" name="id" required placeholder="01FD7" defaultValue={search.id} />
      <button type="submit" className="beside-fields">
        Find
      </button>
    </form>
  );
}

function References({ type, id }: { readonly type: string; readonly id: string }): ReactNode {
  const query = useQuery(referencesQuery(type, id));
  return (
    <Answered query={query}>
      {({ owners }) => (
        <Table
          caption="References"
          columns={OWNERS}
          rows={owners}
          keyOf={({ ownerType, ownerId, version, pointer }) =>
            JSON.stringify([ownerType, ownerId, version, pointer])
          }
          empty={<Empty title={`Nothing names ${type} ${id}.`} />}
        />
      )}
    </Answered>
  );
}

const OWNERS: readonly Column<Reference>[] = [
  {
    title: "Owner",
    kind: "long",
    cell: ({ ownerType, ownerId, title }) => (
      <>
        {ownerType === "definition" ? (
          <Link to="/definitions/$name" params={{ name: ownerId }}>
            {ownerId}
          </Link>
        ) : (
          `${ownerType} ${ownerId}`
        )}{" "}
        <span className="soft">{title}</span>
      </>
    ),
  },
  { title: "Version", kind: "number", cell: ({ version }) => version },
  { title: "State", cell: ({ state }) => <Badge text={state} /> },
  { title: "Place", kind: "long", wide: true, cell: ({ pointer }) => <code>{pointer}</code> },
  {
    title: "Keeps it",
    cell: ({ protects }) => (protects ? "can’t be deleted" : ""),
  },
];
