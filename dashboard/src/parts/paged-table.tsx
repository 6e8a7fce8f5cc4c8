import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Table, type TableProps } from "./table.tsx";

/** A page of a list, with links to others. The address of each but the first has the place where it begins. */
export function PagedTable<Row, Place extends "after" | "before" | "cursor">({
  query: { isPlaceholderData },
  search,
  place,
  next,
  toFirst,
  toNext,
  children,
  ...table
}: Omit<TableProps<Row>, "isBusy"> & {
  readonly query: UseQueryResult;
  /** The search of the address. */
  readonly search: Readonly<Partial<Record<Place, string | undefined>>>;
  /** The part of the search that is the place. */
  readonly place: Place;
  /** The place of the next page, if the rows that are shown may have one. */
  readonly next: string | null | undefined;
  /** Labels. */
  readonly toFirst: string;
  readonly toNext: string;
  /** Buttons before the links. */
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <>
      <Table {...table} isBusy={isPlaceholderData} />
      <nav className="buttons pages" aria-label="Pages">
        {children}
        {search[place] === undefined ? null : (
          <Link to="." search={{ ...search, [place]: undefined }} className="button">
            {toFirst}
          </Link>
        )}
        {next === null || next === undefined ? null : (
          <Link
            to="."
            search={{ ...search, [place]: next }}
            className="button"
            // The rows of another address may be shown until those of this one are read. The link keeps the focus.
            disabled={isPlaceholderData}
            tabIndex={0}
          >
            {toNext}
          </Link>
        )}
      </nav>
    </>
  );
}
