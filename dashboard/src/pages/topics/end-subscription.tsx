import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { endSubscription, type Subscription, subscriptionsQuery } from "../../api/topics.ts";
import { maskedUrl } from "../../format/masked-url.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { note } from "../../shell/notes.tsx";

export function EndSubscription({ subscription }: { subscription: Subscription }): ReactNode {
  const { subscriptionId: id, pattern, target } = subscription;
  const [isOpen, setOpen] = useState(false);
  const queries = useQueryClient();
  return (
    <>
      <button
        type="button"
        className="quiet"
        aria-label={`End subscription ${id}`}
        onClick={() => setOpen(true)}
      >
        End
      </button>
      <FormDialog
        title={`End subscription ${id}?`}
        action="End the subscription"
        isDangerous
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onSubmit={async () => {
          await endSubscription(id);
          note(`Subscription ${id} ended.`);
          await queries.invalidateQueries({ queryKey: subscriptionsQuery.queryKey });
        }}
      >
        <p>
          Messages of <code>{pattern}</code> no longer go to {maskedUrl(target)}.
        </p>
      </FormDialog>
    </>
  );
}
