import type { ReactNode } from "react";
import type { DeadLetter } from "../../api/topics.ts";
import { SelectField } from "../../parts/field.tsx";
import { FormDialog, textOf } from "../../parts/form-dialog.tsx";
import { RedriveLimit } from "../../parts/redrive-limit.tsx";

/** Which dead letters to send again: those of one subscription, or all. */
export function RedriveDialog({
  letters,
  isOpen,
  onClose,
  onSubmit,
}: {
  readonly letters: readonly DeadLetter[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSubmit: (subscriptionId: string | undefined, most: number) => Promise<void>;
}): ReactNode {
  const subscriptions = [...new Set(letters.flatMap(({ subscriptionId: id }) => id ?? []))];
  return (
    <FormDialog
      title="Send dead letters again"
      action="Send again"
      isOpen={isOpen}
      onClose={onClose}
      onSubmit={(fields) =>
        onSubmit(textOf(fields, "subscription"), Number(textOf(fields, "most")))
      }
    >
      <p>Publishes each dead letter again, to its subscription only, oldest first.</p>
      <SelectField label="Of" name="subscription">
        <option value="">all subscriptions</option>
        {subscriptions.map((id) => (
          <option key={id} value={id}>
            subscription {id}
          </option>
        ))}
      </SelectField>
      <RedriveLimit />
    </FormDialog>
  );
}
