import type { ReactNode } from "react";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** `long`: a name, which may be broken anywhere. `text`: a sentence, or JSON, which takes the most width. */
  readonly kind?: "number" | "long" | "text" | undefined;
  /** Left out on phones. */
  readonly wide?: boolean;
}

export interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Shown without rows: what would be here, and how to get it. */
  readonly empty: ReactNode;
  /** Whether other rows are on their way. */
  readonly isBusy?: boolean;
}

/** A table that scrolls by itself on a narrow screen. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  empty,
  isBusy,
}: TableProps<Row>): ReactNode {
  if (rows.length === 0) return <div className="card empty">{empty}</div>;
  return (
    // Scrollable, so the keyboard must reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="card" tabIndex={0} role="region" aria-label={caption} aria-busy={isBusy}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.title} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const classOf = <Row,>({ kind, wide }: Column<Row>): string =>
  [kind, wide === true ? "wide" : undefined].filter(Boolean).join(" ");
