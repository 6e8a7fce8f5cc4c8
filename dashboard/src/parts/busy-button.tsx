/** A button that acts once at a time: neither a double click nor a press while it acts counts. */
import { type ReactNode, useState } from "react";

export function BusyButton({
  onPress,
  isDisabled = false,
  whileBusy,
  look,
  label,
  children,
}: {
  readonly onPress: () => Promise<void>;
  readonly isDisabled?: boolean;
  /** Its label while it acts. Default: the same. */
  readonly whileBusy?: string;
  readonly look?: "danger" | "primary" | "quiet";
  /** What screen readers call it. Default: its text. */
  readonly label?: string;
  readonly children: ReactNode;
}): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const press = async (): Promise<void> => {
    setBusy(true);
    try {
      await onPress();
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type="button"
      className={look}
      aria-label={label}
      disabled={isBusy || isDisabled}
      onClick={({ detail: clicks }) => {
        // The first click may be done before the second.
        if (clicks <= 1) void press();
      }}
    >
      {isBusy ? (whileBusy ?? children) : children}
    </button>
  );
}
