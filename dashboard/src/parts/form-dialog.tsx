import { type ReactNode, type SubmitEvent, useState } from "react";
import { Dialog } from "./dialog.tsx";
import { ProblemBox } from "./problem-box.tsx";

interface FormProps {
  readonly title: string;
  /** Label of the button. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** Whether the form has all that it needs to be sent. */
  readonly isReady?: boolean;
  readonly onSubmit: (fields: FormData) => Promise<void>;
  readonly children: ReactNode;
}

/** A button, and the form in a dialog that it opens. */
export function FormButton({
  button,
  look,
  label,
  ...form
}: FormProps & {
  readonly button: string;
  readonly look?: "danger" | "primary" | "quiet";
  /** What screen readers call it. Default: its text. */
  readonly label?: string;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={look} aria-label={label} onClick={() => setOpen(true)}>
        {button}
      </button>
      <FormDialog {...form} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

/** A form in a dialog, which stays open until the server has answered, and with the reason if it refuses. */
export function FormDialog({
  title,
  action,
  isDangerous = false,
  isReady = true,
  isOpen,
  onClose,
  onSubmit,
  children,
}: FormProps & { readonly isOpen: boolean; readonly onClose: () => void }): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const close = (): void => {
    setError(undefined);
    onClose();
  };
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await onSubmit(new FormData(form));
      close();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      onClose={() => {
        if (!isBusy) close();
      }}
    >
      <form
        onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        {children}
        {error === undefined ? null : <ProblemBox error={error} />}
        <div className="buttons end">
          <button type="button" disabled={isBusy} onClick={close}>
            Close
          </button>
          <button
            type="submit"
            className={isDangerous ? "danger" : "primary"}
            disabled={isBusy || !isReady}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The text of a field of a form; undefined if it was left empty. */
export function textOf(fields: FormData, name: string): string | undefined {
  const value = fields.get(name);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** The number in a field of a form; undefined if it was left empty. */
export function numberOf(fields: FormData, name: string): number | undefined {
  const text = textOf(fields, name);
  return text === undefined ? undefined : Number(text);
}
