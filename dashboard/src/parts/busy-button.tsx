/** A button that acts once at a time: neither a double click nor a press while it acts counts. */
import { type ReactNode, useState } from "react";

export function BusyButton({
  onPress,
  isDisabled = false,
  whileBusy,
  children,
}: {
  readonly onPress: () => Promise<void>;
  readonly isDisabled?: boolean;
  /** Its label while it acts. Default: the same. */
  readonly whileBusy?: string;
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
