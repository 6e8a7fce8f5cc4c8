/** The messages of a queue, oldest first. Looking at them does not receive them. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { peekQuery, type PeekedMessage } from "../../api/queues.ts";
import { parseContainment } from "../../format/containment.ts";
import { shortened } from "../../format/shortened.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { DetailsDialog } from "../../parts/details-dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Facts } from "../../parts/facts.tsx";
import { InputField } from "../../parts/field.tsx";
import { textOf } from "../../parts/form-dialog.tsx";
import { JsonViewer } from "../../parts/json/json-viewer.tsx";
import { PagedTable } from "../../parts/paged-table.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { selectColumn } from "../../parts/select-column.tsx";
import type { Column } from "../../parts/table.tsx";
import { FullTime } from "../../parts/time.tsx";
import { useMay } from "../../shell/may.tsx";
import { RedriveSelected } from "./redrive-selected.tsx";
import { type PeekSearch, readPeekSearch } from "./peek-search.ts";

const MESSAGES_A_PAGE = 50;
const LONGEST_TEXT = 120;

export function Messages({ name, search }: { name: string; search: PeekSearch }): ReactNode {
  const navigate = useNavigate();
  const matching = readMatching(search.matching);
  return (
    <>
      <form
        role="search"
        aria-label="Messages"
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const text = textOf(new FormData(event.currentTarget), "matching");
          void navigate({
            to: "/queues/$name",
            params: { name },
            search: readPeekSearch({ hours: search.hours, matching: text }),
          });
        }}
      >
        <InputField
          label="Messages contain"
          key={search.matching}
          name="matching"
          placeholder="customer=7"
          defaultValue={search.matching ?? ""}
        />
      </form>
      {matching instanceof Error ? (
        <ProblemBox error={matching} />
      ) : (
        <Peeked name={name} search={search} matching={matching} />
      )}
    </>
  );
}

/** The condition, or why it can't be read. */
function readMatching(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parseContainment(text, "the condition");
  } catch (error) {
    return error;
  }
}

function Peeked({
  name,
  search,
  matching,
}: {
  readonly name: string;
  readonly search: PeekSearch;
  readonly matching: unknown;
}): ReactNode {
  const [opened, setOpened] = useState<PeekedMessage>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const may = useMay();
  const query = useQuery({
    ...peekQuery(name, { limit: MESSAGES_A_PAGE, after: search.after, matching }),
    placeholderData: keepPreviousData,
  });
  // Other messages can't be sent back to anywhere.
  const canSelect = may("admin") && query.data?.messages.some(isDeadLetter) === true;
  const columns: readonly Column<PeekedMessage>[] = [
    ...(canSelect
      ? [
          selectColumn<PeekedMessage>({
            noun: "message",
            idOf: ({ messageId }) => messageId,
            isSelectable: isDeadLetter,
            selected,
            onSelect: setSelected,
          }),
        ]
      : []),
    {
      title: "Message",
      cell: (message) => (
        <button type="button" className="link mono" onClick={() => setOpened(message)}>
          {message.messageId}
        </button>
      ),
    },
    { title: "State", cell: ({ state }) => <Badge text={state} /> },
    { title: "Group", kind: "long", wide: true, cell: ({ messageGroupId }) => messageGroupId },
    { title: "Received", kind: "number", cell: ({ receiveCount }) => receiveCount },
    { title: "Sent", wide: true, cell: ({ enqueuedAt }) => <FullTime at={enqueuedAt} /> },
    {
      title: "Content",
      kind: "long",
      wide: true,
      cell: ({ message }) => <code>{briefly(message)}</code>,
    },
  ];
  return (
    <Answered query={query}>
      {({ messages, after }) => (
        <>
          <PagedTable
            caption="Messages"
            columns={columns}
            rows={messages}
            keyOf={({ messageId }) => messageId}
            empty={
              <Empty title="No message here.">
                <p>Messages are shown until a consumer has acknowledged them.</p>
              </Empty>
            }
            query={query}
            search={search}
            place="after"
            next={after}
            toFirst="Oldest messages"
            toNext="Newer messages"
          >
            {canSelect ? (
              <RedriveSelected
                queue={name}
                ids={messages.map(({ messageId }) => messageId).filter((id) => selected.has(id))}
                onDone={() => setSelected(new Set())}
              />
            ) : null}
          </PagedTable>
          <DetailsDialog
            title={({ messageId }) => `Message ${messageId}`}
            of={opened}
            onClose={() => setOpened(undefined)}
          >
            {(message) => <OneMessage message={message} />}
          </DetailsDialog>
        </>
      )}
    </Answered>
  );
}

const isDeadLetter = ({ headers }: PeekedMessage): boolean =>
  typeof headers === "object" && headers !== null && "dead_letter" in headers;

const STATES: Readonly<Record<PeekedMessage["state"], string>> = {
  ready: "A consumer may receive it.",
  delayed: "It becomes ready at the time below.",
  "in-flight": "A consumer has received it; unless it is acknowledged, it is delivered again.",
  blocked: "An earlier message of its group must be acknowledged first.",
};

function OneMessage({ message }: { message: PeekedMessage }): ReactNode {
  const { state, visibleAt, headers } = message;
  return (
    <>
      <p>
        <Badge text={state} /> {STATES[state]}
      </p>
      <Facts
        of={[
          ["Group", message.messageGroupId],
          ["Received", `${message.receiveCount} times`],
          ["Sent", <FullTime key="sent" at={message.enqueuedAt} />],
          [
            "Ready from",
            state === "delayed" || state === "in-flight" ? (
              <FullTime key="ready" at={visibleAt} />
            ) : null,
          ],
        ]}
      />
      <JsonViewer label="Message" value={message.message} />
      {headers === null ? null : <JsonViewer label="Headers" value={headers} />}
    </>
  );
}

const briefly = (value: unknown): string => shortened(JSON.stringify(value) ?? "", LONGEST_TEXT);
