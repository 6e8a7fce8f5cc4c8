import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isRefusedOverShards } from "../../api/problem.ts";
import { searchQuery } from "../../api/runs.ts";
import { deadLetterQueuesQuery } from "../../api/queues.ts";
import { readinessQuery } from "../../api/server.ts";
import { subscriptionsQuery } from "../../api/topics.ts";
import { workersQuery } from "../../api/workflows.ts";
import { clockTime } from "../../format/time.ts";
import { Answered } from "../../parts/answered.tsx";
import { usePreferences } from "../../shell/preferences.ts";
import { findingsIn } from "./findings.ts";
import { useLastHour } from "./use-last-hour.ts";

const MOST_FAILED = 500;

/** What needs attention first, with links. */
export function Attention(): ReactNode {
  const { zone } = usePreferences();
  const since = useLastHour();
  const failed = useQuery({
    ...searchQuery({ status: ["failed"], completedAfter: since }, undefined, MOST_FAILED),
    placeholderData: keepPreviousData,
  });
  const { data: topics, error: topicsError } = useQuery(subscriptionsQuery);
  const { data: workers } = useQuery(workersQuery);
  const { data: deadLetters } = useQuery(deadLetterQueuesQuery);
  const { data: readiness } = useQuery(readinessQuery);
  return (
    <section className="card attention" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      <Answered query={failed}>
        {({ runs }) => {
          const findings = findingsIn(
            runs,
            topics?.subscriptions ?? [],
            readiness,
            workers?.workers ?? [],
            deadLetters?.queues ?? [],
            (at) => clockTime(at, zone),
          );
          if (findings.length === 0) return <p className="soft">Nothing in the last hour.</p>;
          return (
            <ul>
              {findings.map(({ text, ...link }) => (
                <li key={text}>
                  <Link {...link}>{text}</Link>
                </li>
              ))}
            </ul>
          );
        }}
      </Answered>
      {isRefusedOverShards(topicsError) ? (
        <p className="hint">Subscriptions of topics are not included over shards.</p>
      ) : null}
    </section>
  );
}
