/** What a sandbox would have sent to urls. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type Captured, capturedQuery } from "../../api/fork.ts";
import { maskedUrl } from "../../../../declared/src/net/masked-url.ts";
import { Answered } from "../../parts/answered.tsx";
import { DetailsDialog } from "../../parts/details-dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { JsonViewer } from "../../parts/json/json-viewer.tsx";
import { RunLink } from "../../parts/run-link.tsx";
import { PagedTable } from "../../parts/paged-table.tsx";
import type { Column } from "../../parts/table.tsx";
import { FullTime } from "../../parts/time.tsx";

const CAPTURES_A_PAGE = 50;

export function Captures({ after }: { after: string | undefined }): ReactNode {
  const [opened, setOpened] = useState<Captured>();
  const query = useQuery(capturedQuery(after, CAPTURES_A_PAGE));
  const columns: readonly Column<Captured>[] = [
    {
      title: "Capture",
      cell: (one) => (
        <button type="button" className="link mono" onClick={() => setOpened(one)}>
          {one.id}
        </button>
      ),
    },
    { title: "At", cell: ({ capturedAt }) => <FullTime at={capturedAt} /> },
    { title: "Topic", kind: "long", cell: ({ topic }) => topic },
    { title: "Url", kind: "long", cell: ({ url }) => (url === null ? "" : maskedUrl(url)) },
    {
      title: "Run",
      cell: ({ runId }) => <RunLink runId={runId} />,
    },
    { title: "Subscription", wide: true, cell: ({ subscriptionId }) => subscriptionId },
  ];
  return (
    <Answered query={query}>
      {({ deliveries }) => (
        <>
          <PagedTable
            caption="Captured deliveries"
            columns={columns}
            rows={deliveries}
            keyOf={({ id }) => id}
            empty={
              <Empty title="Nothing was captured.">
                <p>
                  Deliveries to urls, and requests of definitions, appear here instead of being
                  sent.
                </p>
              </Empty>
            }
            query={query}
            search={{ after }}
            place="after"
            next={deliveries.length < CAPTURES_A_PAGE ? undefined : deliveries.at(-1)?.id}
            toFirst="First captures"
            toNext="Later captures"
          />
          <DetailsDialog
            title={({ id }) => `Capture ${id}`}
            of={opened}
            onClose={() => setOpened(undefined)}
          >
            {({ message, headers }) => (
              <>
                <JsonViewer label="Message" value={message} />
                <JsonViewer label="Headers" value={headers} />
              </>
            )}
          </DetailsDialog>
        </>
      )}
    </Answered>
  );
}
