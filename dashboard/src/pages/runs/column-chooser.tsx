import { type ReactNode, useState } from "react";
import { Dialog } from "../../parts/dialog.tsx";
import { setPreferences, usePreferences } from "../../shell/preferences.ts";
import { DEFAULT_COLUMNS, FIXED_COLUMN, RUN_COLUMNS } from "./run-columns.tsx";

/** The titles of the columns that this browser shows. */
export const useRunColumns = (): readonly string[] =>
  usePreferences().runColumns ?? DEFAULT_COLUMNS;

/** Chooses the columns of the list of runs, for this browser. */
export function ColumnChooser(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const shown = useRunColumns();
  const change = (title: string, isShown: boolean): void =>
    setPreferences({
      runColumns: RUN_COLUMNS.map((column) => column.title).filter((one) =>
        one === title ? isShown : shown.includes(one),
      ),
    });
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Columns…
      </button>
      <Dialog title="Columns" isOpen={isOpen} onClose={() => setOpen(false)}>
        <div className="checks">
          {RUN_COLUMNS.map(({ title }) => (
            <label key={title} className="check">
              <input
                type="checkbox"
                checked={shown.includes(title)}
                disabled={title === FIXED_COLUMN}
                onChange={({ target }) => change(title, target.checked)}
              />{" "}
              {title}
            </label>
          ))}
        </div>
        <div className="buttons end">
          <button type="button" onClick={() => setPreferences({ runColumns: undefined })}>
            Default columns
          </button>
          <button type="button" className="primary" onClick={() => setOpen(false)}>
            Done
          </button>
        </div>
      </Dialog>
    </>
  );
}
