import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { enableSubscription, type Subscription, subscriptionsQuery } from "../../api/topics.ts";
import { Badge } from "../../parts/badge.tsx";
import { FullTime, Time } from "../../parts/time.tsx";
import { May } from "../../shell/may.tsx";
import { attempt, note } from "../../shell/notes.tsx";

/** Whether deliveries to a subscription fail, and since when. */
export function SubscriptionState({ subscription }: { subscription: Subscription }): ReactNode {
  const { subscriptionId: id, disabledAt, disabledReason, failingSince } = subscription;
  const queries = useQueryClient();
  const enable = async (): Promise<void> => {
    await attempt(`enable subscription ${id}`, async () => {
      await enableSubscription(id);
      note(`Subscription ${id} receives deliveries again.`);
    });
    await queries.invalidateQueries({ queryKey: subscriptionsQuery.queryKey });
  };
  if (disabledAt !== null) {
    return (
      <>
        <Badge text="disabled" /> <Time at={disabledAt} />: {disabledReason}{" "}
        <May scope="admin">
          <button type="button" className="quiet" onClick={() => void enable()}>
            Enable
          </button>
        </May>
      </>
    );
  }
  if (failingSince === null) return null;
  return (
    <>
      <Badge text="failing" /> since <FullTime at={failingSince} />
    </>
  );
}
