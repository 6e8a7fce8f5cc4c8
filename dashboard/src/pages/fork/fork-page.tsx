/** Which database this is: live, a copy that is held, or a sandbox with what it has captured. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Incarnation, incarnationQuery } from "../../api/fork.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Page } from "../../parts/page.tsx";
import { FullTime } from "../../parts/time.tsx";
import { May } from "../../shell/may.tsx";
import { Captures } from "./captures.tsx";
import { ReleaseDialog } from "./release-dialog.tsx";

const route = getRouteApi("/fork");

export function ForkPage(): ReactNode {
  const { after } = route.useSearch();
  const query = useQuery(incarnationQuery);
  const state = query.data?.incarnation?.state;
  return (
    <Page
      title="Fork"
      beside={state === undefined ? null : <Badge text={state} look={LOOKS[state]} />}
      actions={
        state === "held" ? (
          <May scope="admin">
            <ReleaseDialog />
          </May>
        ) : null
      }
    >
      <Answered query={query}>
        {({ incarnation }) =>
          incarnation === null ? (
            <div className="card empty">
              <Empty title="Oxbow has no tables here yet.">
                <p>The first start or message creates them.</p>
              </Empty>
            </div>
          ) : (
            <>
              <p>{MEANINGS[incarnation.state]}</p>
              <Identity incarnation={incarnation} />
              {incarnation.state === "live" ? null : (
                <>
                  <h2>Captured deliveries</h2>
                  <Captures after={after} />
                </>
              )}
            </>
          )
        }
      </Answered>
    </Page>
  );
}

const LOOKS: Readonly<Record<Incarnation["state"], string>> = {
  live: "completed",
  sandbox: "paused",
  held: "failed",
};

const MEANINGS: Readonly<Record<Incarnation["state"], ReactNode>> = {
  live: (
    <>
      Runs continue, and deliveries go to their urls. <code>oxbow fork</code> copies this database
      with its runs in flight; a copy is held until it is released.
    </>
  ),
  sandbox:
    "This is a released copy. Its runs continue, and what it would send to urls is captured below. Steps that call other systems themselves still do.",
  held: "This is a copy. No run of it continues, no message is received and no schedule ticks until it is released.",
};

const Identity = ({ incarnation }: { incarnation: Incarnation }): ReactNode => (
  <div className="card">
    <Facts
      of={[
        ["Origin", incarnation.origin],
        ["Since", <FullTime key="since" at={incarnation.since} />],
        [
          "Copied",
          incarnation.copiedAt === null ? null : <FullTime key="at" at={incarnation.copiedAt} />,
        ],
        ["Incarnation", <code key="id">{incarnation.id}</code>],
        [
          "Copy of",
          incarnation.parentId === null ? null : <code key="of">{incarnation.parentId}</code>,
        ],
        ["Guarded", incarnation.guarded ? "yes: a promotion holds it" : "no"],
      ]}
    />
  </div>
);
