import { type ReactNode, type SubmitEvent, useState } from "react";
import { findTargets, type Target } from "../../api/topics.ts";
import { maskedUrl } from "../../../../declared/src/net/masked-url.ts";
import { Badge } from "../../parts/badge.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { MessageFields, messageOf } from "./message-fields.tsx";

/** Shows which subscriptions a message would go to, and publishes nothing. */
export function PublishTest({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <Dialog title="Who would get this?" isOpen={isOpen} onClose={onClose}>
      <Test onClose={onClose} />
    </Dialog>
  );
}

function Test({ onClose }: { onClose: () => void }): ReactNode {
  const [targets, setTargets] = useState<readonly Target[]>();
  const [error, setError] = useState<unknown>();
  // One question at a time: the answers could overtake each other.
  const [isBusy, setBusy] = useState(false);
  const find = async (fields: FormData): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { topic, message } = messageOf(fields);
      const found = await findTargets(topic, message);
      setTargets(found.targets);
    } catch (refusal) {
      setTargets(undefined);
      setError(refusal);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        void find(new FormData(event.currentTarget));
      }}
    >
      <p>Finds the subscriptions that match a message. Nothing is published.</p>
      <MessageFields rows={4} />
      {error === undefined ? null : <ProblemBox error={error} />}
      {targets === undefined ? null : (
        <div role="status">
          <Table
            caption="Targets"
            columns={COLUMNS}
            rows={targets}
            keyOf={({ subscriptionId }) => subscriptionId}
            empty={<Empty title="No subscription matches." />}
          />
        </div>
      )}
      <div className="buttons end">
        <button type="button" onClick={onClose}>
          Close
        </button>
        <button type="submit" className="primary" disabled={isBusy}>
          Find the targets
        </button>
      </div>
    </form>
  );
}

const COLUMNS: readonly Column<Target>[] = [
  { title: "Subscription", kind: "number", cell: ({ subscriptionId }) => subscriptionId },
  { title: "Pattern", cell: ({ pattern }) => <code>{pattern}</code> },
  {
    title: "Target",
    kind: "long",
    cell: ({ targetType, target }) => `${targetType} ${maskedUrl(target)}`,
  },
  {
    title: "Result",
    kind: "long",
    cell: ({ problem, isStrict, key }) =>
      problem === null ? (
        <>
          <Badge text="delivered" look="completed" /> {key === null ? "" : `key ${key}`}
        </>
      ) : (
        <>
          <Badge text={isStrict ? "publishing fails" : "dead letter"} look="failed" /> {problem}
        </>
      ),
  },
];
