/** Endpoints, what they serve, and why a check of one failed. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Endpoint, endpointsQuery } from "../../api/endpoints.ts";
import { maskedUrl } from "../../../../declared/src/net/masked-url.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { May } from "../../shell/may.tsx";
import { AddEndpoint } from "./add-endpoint.tsx";
import { EndpointActions } from "./endpoint-actions.tsx";

const COLUMNS: readonly Column<Endpoint>[] = [
  { title: "Url", kind: "long", cell: ({ url }) => maskedUrl(url) },
  { title: "Serves", kind: "long", cell: ({ serves }) => <Served versions={serves} /> },
  { title: "State", kind: "long", cell: (endpoint) => <State of={endpoint} /> },
  {
    title: "Concurrency",
    kind: "number",
    wide: true,
    cell: ({ concurrency }) => concurrency,
  },
  {
    title: "SDK",
    wide: true,
    cell: ({ sdkVersion }) => sdkVersion,
  },
  { title: "Actions", cell: (endpoint) => <EndpointActions endpoint={endpoint} /> },
];

const Served = ({ versions }: { versions: Endpoint["serves"] }): ReactNode =>
  Object.entries(versions).map(([workflow, numbers]) => (
    <div key={workflow}>
      <Link to="/runs" search={{ workflow }}>
        {workflow}
      </Link>{" "}
      <span className="soft">{numbers.map((number) => `v${number}`).join(", ")}</span>
    </div>
  ));

/** The last check is what matters: an endpoint that failed it keeps what the one before found. */
function State({ of: endpoint }: { of: Endpoint }): ReactNode {
  const { isPaused, lastError, failedAt, checkedAt } = endpoint;
  if (isPaused) return <Badge text="paused" />;
  if (lastError !== null) {
    return (
      <>
        <Badge text="failing" /> <Time at={failedAt} />: {lastError}
      </>
    );
  }
  if (checkedAt === null) return "waits for a server with OXBOW_SIGNING_KEY, which checks it";
  return (
    <>
      checked <Time at={checkedAt} />
    </>
  );
}

export function EndpointsPage(): ReactNode {
  const query = useQuery(endpointsQuery);
  return (
    <Page
      title="Endpoints"
      actions={
        <May scope="admin">
          <AddEndpoint />
        </May>
      }
    >
      <Answered query={query}>
        {({ endpoints }) => (
          <Table
            caption="Endpoints"
            columns={COLUMNS}
            rows={endpoints}
            keyOf={({ endpointId }) => endpointId}
            empty={
              <Empty title="No endpoint yet.">
                <p>
                  Servers push runs to endpoints: urls of functions that have no process, for
                  example on Vercel or AWS Lambda. Add one here, or after each deployment:
                </p>
                <pre>npx oxbow endpoints add https://shop.example.com/api/oxbow</pre>
              </Empty>
            }
          />
        )}
      </Answered>
    </Page>
  );
}
