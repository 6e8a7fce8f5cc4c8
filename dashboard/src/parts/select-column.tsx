/** A column of checkboxes, by which rows of a table are selected. */
import type { Column } from "./table.tsx";

interface SelectColumnOptions<Row> {
  /** What a row is, such as `letter`. */
  readonly noun: string;
  readonly idOf: (row: Row) => string;
  /** Default: all rows. */
  readonly isSelectable?: (row: Row) => boolean;
  /** Ids of the selected rows. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

export const selectColumn = <Row,>({
  noun,
  idOf,
  isSelectable = () => true,
  selected,
  onSelect,
}: SelectColumnOptions<Row>): Column<Row> => ({
  title: "Select",
  cell: (row) => {
    if (!isSelectable(row)) return null;
    const id = idOf(row);
    return (
      <input
        type="checkbox"
        aria-label={`Select ${noun} ${id}`}
        checked={selected.has(id)}
        onChange={() => {
          const next = new Set(selected);
          if (!next.delete(id)) next.add(id);
          onSelect(next);
        }}
      />
    );
  },
});
