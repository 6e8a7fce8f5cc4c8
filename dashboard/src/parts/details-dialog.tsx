import type { ReactNode } from "react";
import { Dialog } from "./dialog.tsx";

/** Shows one entry of a list, until it is closed. */
export function DetailsDialog<Entry>({
  title,
  of,
  onClose,
  children,
}: {
  readonly title: (entry: Entry) => string;
  /** The entry; undefined while the dialog is closed. */
  readonly of: Entry | undefined;
  readonly onClose: () => void;
  readonly children: (entry: Entry) => ReactNode;
}): ReactNode {
  return (
    <Dialog title={of === undefined ? "" : title(of)} isOpen={of !== undefined} onClose={onClose}>
      {of === undefined ? null : children(of)}
      <div className="buttons end">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
