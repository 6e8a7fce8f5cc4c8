/** Messages of topics that could not be delivered, with the reason: to send again, or to delete. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import {
  type DeadLetter,
  deadLettersQuery,
  deleteDeadLetters,
  redriveDeadLetters,
  redriveTheseLetters,
} from "../../api/topics.ts";
import { maskedUrl } from "../../../../declared/src/net/masked-url.ts";
import { Answered } from "../../parts/answered.tsx";
import { BusyButton } from "../../parts/busy-button.tsx";
import { DetailsDialog } from "../../parts/details-dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Facts } from "../../parts/facts.tsx";
import { JsonViewer } from "../../parts/json/json-viewer.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/paged-table.tsx";
import { selectColumn } from "../../parts/select-column.tsx";
import type { Column } from "../../parts/table.tsx";
import { FullTime } from "../../parts/time.tsx";
import { attempt, note } from "../../shell/notes.tsx";
import { RedriveDialog } from "./redrive-dialog.tsx";

const LETTERS_A_PAGE = 50;
const route = getRouteApi("/dead-letters");

export function DeadLettersPage(): ReactNode {
  const { after } = route.useSearch();
  const query = useQuery(deadLettersQuery(after, LETTERS_A_PAGE));
  const queries = useQueryClient();
  const [opened, setOpened] = useState<DeadLetter>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isRedriving, setRedriving] = useState(false);
  const letters = query.data?.letters ?? [];
  const chosen = letters.filter(({ id }) => selected.has(id));

  const readAgain = (): Promise<void> =>
    queries.invalidateQueries({ queryKey: ["topic-dead-letters"] });

  /** @param change Returns a note of what it has done to the chosen letters. */
  const changeChosen = async (
    verb: string,
    change: (ids: string[]) => Promise<string>,
  ): Promise<void> => {
    await attempt(verb, async () => note(await change(chosen.map(({ id }) => id))));
    setSelected(new Set());
    await readAgain();
  };

  const remove = (): Promise<void> =>
    changeChosen("delete", async (ids) => {
      const { deleted } = await deleteDeadLetters(ids);
      return `${deleted.length} dead letters were deleted.`;
    });

  const redrive = (): Promise<void> =>
    changeChosen("send again", async (ids) => {
      const { redriven } = await redriveTheseLetters(ids);
      return `${redriven} of ${ids.length} messages are sent again.`;
    });

  const columns: readonly Column<DeadLetter>[] = [
    selectColumn({ noun: "letter", idOf: ({ id }) => id, selected, onSelect: setSelected }),
    {
      title: "Letter",
      cell: (letter) => (
        <button type="button" className="link mono" onClick={() => setOpened(letter)}>
          {letter.id}
        </button>
      ),
    },
    { title: "Topic", kind: "long", cell: ({ topic }) => topic },
    {
      title: "Target",
      kind: "long",
      wide: true,
      cell: ({ target }) => (target === null ? "" : maskedUrl(target)),
    },
    { title: "Reason", kind: "long", cell: ({ reason }) => reason },
    { title: "Attempts", kind: "number", wide: true, cell: ({ attempts }) => attempts },
    { title: "Since", wide: true, cell: ({ deadLetteredAt }) => <FullTime at={deadLetteredAt} /> },
  ];
  return (
    <Page
      title="Dead letters"
      actions={
        letters.length === 0 ? null : (
          <>
            <button type="button" className="primary" onClick={() => setRedriving(true)}>
              Send again…
            </button>
            <BusyButton isDisabled={chosen.length === 0} onPress={redrive}>
              {chosen.length === 0 ? "Send selected again" : `Send ${chosen.length} selected again`}
            </BusyButton>
            <BusyButton look="danger" isDisabled={chosen.length === 0} onPress={remove}>
              {chosen.length === 0 ? "Delete selected" : `Delete ${chosen.length} selected`}
            </BusyButton>
          </>
        )
      }
    >
      <Answered query={query}>
        {() => (
          <PagedTable
            caption="Dead letters"
            columns={columns}
            rows={letters}
            keyOf={({ id }) => id}
            empty={
              <Empty title="All messages were delivered.">
                <p>
                  A message that could not be delivered to a subscription, after all its attempts,
                  is kept here with the reason, until it is sent again or deleted.
                </p>
              </Empty>
            }
            query={query}
            search={{ after }}
            place="after"
            next={letters.length < LETTERS_A_PAGE ? undefined : letters.at(-1)?.id}
            toFirst="Oldest letters"
            toNext="Newer letters"
          />
        )}
      </Answered>
      <RedriveDialog
        letters={letters}
        isOpen={isRedriving}
        onClose={() => setRedriving(false)}
        onSubmit={async (subscriptionId, most) => {
          const { redriven } = await redriveDeadLetters(subscriptionId, most);
          note(`${redriven} messages are sent again.`);
          await readAgain();
        }}
      />
      <DetailsDialog
        title={({ id }) => `Dead letter ${id}`}
        of={opened}
        onClose={() => setOpened(undefined)}
      >
        {(letter) => <OneLetter letter={letter} />}
      </DetailsDialog>
    </Page>
  );
}

const OneLetter = ({ letter }: { letter: DeadLetter }): ReactNode => (
  <>
    <Facts
      of={[
        ["Reason", letter.reason],
        ["Topic", letter.topic],
        ["Subscription", letter.subscriptionId],
        ["Target", letter.target === null ? null : maskedUrl(letter.target)],
        ["Attempts", letter.attempts],
        ["Since", <FullTime key="since" at={letter.deadLetteredAt} />],
      ]}
    />
    <JsonViewer label="Message" value={letter.message} />
    <JsonViewer label="Headers" value={letter.headers} />
  </>
);
