/** A delivery: the outcome of each attempt, the message, and a button that sends it again. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type DeliveryDetails, deliveryQuery, outcomeOf } from "../../api/deliveries.ts";
import { duration } from "../../format/duration.ts";
import { Answered } from "../../parts/answered.tsx";
import { BusyButton } from "../../parts/busy-button.tsx";
import { DetailsDialog } from "../../parts/details-dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { JsonViewer } from "../../parts/json/json-viewer.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { FullTime } from "../../parts/time.tsx";

export const DeliveryDialog = ({
  id: opened,
  onClose,
  onResend,
}: {
  /** Undefined while no delivery is open. */
  readonly id: string | undefined;
  readonly onClose: () => void;
  readonly onResend: (id: string) => Promise<void>;
}): ReactNode => (
  <DetailsDialog title={(id) => `Delivery ${id}`} of={opened} onClose={onClose}>
    {(id) => <OneDelivery id={id} onResend={onResend} />}
  </DetailsDialog>
);

function OneDelivery({
  id,
  onResend,
}: {
  readonly id: string;
  readonly onResend: (id: string) => Promise<void>;
}): ReactNode {
  const query = useQuery(deliveryQuery(id));
  return (
    <Answered query={query}>
      {(delivery) => (
        <>
          <Facts
            of={[
              ["Status", delivery.status],
              ["Topic", delivery.topic],
              ["Subscription", delivery.subscriptionId],
              ["Url", delivery.url ?? "The subscription has ended."],
              ["Webhook id", <code key="webhook">{delivery.webhookId}</code>],
              ["Published", <FullTime key="published" at={delivery.publishedAt} />],
              ["Next attempt", nextAttemptOf(delivery)],
            ]}
          />
          <div className="buttons">
            <BusyButton onPress={() => onResend(id)}>
              {delivery.status === "waiting" ? "Send now" : "Send again"}
            </BusyButton>
          </div>
          <Table
            caption="Attempts"
            columns={ATTEMPTS}
            rows={attemptsOf(delivery)}
            keyOf={({ attempt }) => String(attempt)}
            empty={null}
          />
          {delivery.message === null ? (
            <p className="soft">
              The message is null, or has more than 64 KiB: the log keeps no larger ones.
            </p>
          ) : (
            <JsonViewer label="Message" value={delivery.message} />
          )}
          <JsonViewer label="Headers" value={delivery.headers} />
        </>
      )}
    </Answered>
  );
}

const nextAttemptOf = ({ status, nextAttemptAt }: DeliveryDetails): ReactNode => {
  if (status !== "waiting") return null;
  return nextAttemptAt === null ? "is being made" : <FullTime at={nextAttemptAt} />;
};

type Attempt = DeliveryDetails["earlierAttempts"][number];

/** The last one first. */
const attemptsOf = ({ earlierAttempts, attempts, ...last }: DeliveryDetails): Attempt[] => [
  { ...last, attempt: attempts },
  ...earlierAttempts.toReversed(),
];

const ATTEMPTS: readonly Column<Attempt>[] = [
  { title: "Attempt", kind: "number", cell: ({ attempt }) => attempt },
  { title: "Time", cell: ({ attemptedAt }) => <FullTime at={attemptedAt} /> },
  {
    title: "Took",
    kind: "number",
    wide: true,
    cell: ({ durationMs }) => (durationMs === null ? "" : duration(durationMs)),
  },
  { title: "Answer", kind: "long", cell: outcomeOf },
  {
    title: "Response",
    kind: "long",
    cell: ({ response }) => (response === null ? "" : <code>{response}</code>),
  },
];
