import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";

/** A window above the page: it holds the focus, and Escape closes it. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="dialog">
          <Base.Title render={<h2>{title}</h2>} />
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
