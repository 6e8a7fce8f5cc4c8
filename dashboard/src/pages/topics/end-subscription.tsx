import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { endSubscription, type Subscription, subscriptionsQuery } from "../../api/topics.ts";
import { maskedUrl } from "../../format/masked-url.ts";
import { FormButton } from "../../parts/form-dialog.tsx";
import { note } from "../../shell/notes.tsx";

export function EndSubscription({ subscription }: { subscription: Subscription }): ReactNode {
  const { subscriptionId: id, pattern, target } = subscription;
  const queries = useQueryClient();
  return (
    <FormButton
      button="End"
      look="quiet"
      label={`End subscription ${id}`}
      title={`End subscription ${id}?`}
      action="End the subscription"
      isDangerous
      onSubmit={async () => {
        await endSubscription(id);
        note(`Subscription ${id} ended.`);
        await queries.invalidateQueries({ queryKey: subscriptionsQuery.queryKey });
      }}
    >
      <p>
        Messages of <code>{pattern}</code> no longer go to {maskedUrl(target)}.
      </p>
    </FormButton>
  );
}
