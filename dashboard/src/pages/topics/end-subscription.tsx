import type { ReactNode } from "react";
import { endSubscription, type Subscription, subscriptionsQuery } from "../../api/topics.ts";
import { maskedUrl } from "../../../../declared/src/net/masked-url.ts";
import { FormButton } from "../../parts/form-dialog.tsx";
import { useReport } from "../../parts/use-report.ts";

export function EndSubscription({ subscription }: { subscription: Subscription }): ReactNode {
  const { subscriptionId: id, pattern, target } = subscription;
  const report = useReport(subscriptionsQuery.queryKey);
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
        await report(`Subscription ${id} ended.`);
      }}
    >
      <p>
        Messages of <code>{pattern}</code> no longer go to {maskedUrl(target)}.
      </p>
    </FormButton>
  );
}
