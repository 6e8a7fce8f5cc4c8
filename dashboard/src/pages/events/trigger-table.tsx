/** The triggers of the published version. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { versionQuery } from "../../api/definitions.ts";
import { Empty } from "../../parts/empty.tsx";
import { type Column, Table } from "../../parts/table.tsx";

interface ShownTrigger {
  readonly id: string;
  readonly on?: unknown;
  readonly when?: unknown;
  readonly once_for?: unknown;
  readonly delay?: unknown;
  readonly cron?: unknown;
  readonly time_zone?: unknown;
  readonly every?: unknown;
}

export function TriggerTable({
  name,
  version,
}: {
  readonly name: string;
  readonly version: number | null;
}): ReactNode {
  const { data } = useQuery({ ...versionQuery(name, version ?? 0), enabled: version !== null });
  if (version === null) {
    return (
      <div className="card empty">
        <Empty title="No version is published.">
          <p>
            Triggers are in force once a version is published.{" "}
            <Link to="/definitions/$name" params={{ name }}>
              Open the draft
            </Link>
            .
          </p>
        </Empty>
      </div>
    );
  }
  if (data === undefined) return null;
  const { triggers = {} } = data.document as { readonly triggers?: Record<string, object> };
  return (
    <Table
      caption="Triggers"
      columns={COLUMNS}
      rows={Object.entries(triggers).map(([id, trigger]) => ({ ...trigger, id }))}
      keyOf={({ id }) => id}
      empty={<Empty title={`Version ${version} has no triggers.`} />}
    />
  );
}

const COLUMNS: readonly Column<ShownTrigger>[] = [
  { title: "Trigger", cell: ({ id }) => id },
  {
    title: "On",
    cell: ({ on, cron, time_zone: zone, every }) => (
      <>
        <code>{textOf(on)}</code>{" "}
        {cron === undefined ? null : (
          <>
            <code>{textOf(cron)}</code> <span className="soft">{textOf(zone ?? "UTC")}</span>
          </>
        )}
        {every === undefined ? null : <span className="soft">every {textOf(every)}</span>}
      </>
    ),
  },
  {
    title: "When",
    kind: "long",
    cell: ({ when }) => (when === undefined ? "always" : <code>{textOf(when)}</code>),
  },
  { title: "Once for", kind: "long", wide: true, cell: ({ once_for: once }) => textOf(once) },
  { title: "Delay", wide: true, cell: ({ delay }) => textOf(delay) },
];

const textOf = (value: unknown): string =>
  value === undefined
    ? ""
    : typeof value === "string"
      ? value
      : Array.isArray(value)
        ? value.join(", ")
        : JSON.stringify(value);
