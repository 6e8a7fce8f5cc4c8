import { Dialog as Base } from "@base-ui/react/dialog";
import { type ReactNode, useRef } from "react";

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
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          ref={popup}
          className="dialog"
          initialFocus={() => {
            if (popup.current !== null) focusFirst(popup.current);
            return false;
          }}
        >
          <Base.Title render={<h2>{title}</h2>} />
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

const FOCUSABLE =
  ":is(a[href], button, input, select, textarea, summary, [tabindex='0']):not(:disabled)";

/**
 * Moves the focus immediately. The component hides the rest of the page from screen readers when the dialog opens, and
 * would move the focus a frame later: until then, the focus would be in what is hidden. Where the screen is touched, a
 * field would open the keyboard above the dialog, which gets the focus itself.
 */
function focusFirst(dialog: HTMLElement): void {
  if (matchMedia("(pointer: coarse)").matches) {
    dialog.focus();
    return;
  }
  const all = [...dialog.querySelectorAll<HTMLElement>(FOCUSABLE)];
  (all.find((element) => element.checkVisibility()) ?? dialog).focus();
}
