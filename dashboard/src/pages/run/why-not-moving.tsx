import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { explainQuery } from "../../api/runs.ts";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { FullTime, Time } from "../../parts/time.tsx";

/** Causes that end by themselves only if somebody acts. */
const URGENT = new Set(["no_worker", "ready", "suspect", "held", "step_retry"]);

/** Why the run is not moving: one cause, and its remedy. */
export function WhyNotMoving({ runId }: { runId: string }): ReactNode {
  const { data, error } = useQuery(explainQuery(runId));
  if (data === undefined) return error === null ? null : <ProblemBox error={error} />;
  const { cause, summary, remedy, since, until, details } = data;
  if (cause === "ended") return null;
  const { run_id: childId, approval: isApproval } = (details ?? {}) as {
    readonly run_id?: string;
    readonly approval?: boolean;
  };
  return (
    <section
      className={URGENT.has(cause) ? "why urgent" : "why"}
      aria-labelledby="why"
      data-cause={cause}
    >
      <h2 id="why">
        {cause === "executing" ? "What is this run doing?" : "Why is this run not moving?"}
      </h2>
      <p className="why-summary">{summary}</p>
      <p>{remedy}</p>
      <p className="soft">
        {since === null ? null : (
          <>
            Since <FullTime at={since} />
          </>
        )}
        {since === null || until === null ? null : ", "}
        {until === null ? null : (
          <>
            {cause === "executing" ? "leased until" : "until"} <FullTime at={until} /> (
            <Time at={until} />)
          </>
        )}
      </p>
      {childId === undefined ? null : (
        <p>
          <Link to="/runs/$runId" params={{ runId: childId }}>
            Open run {childId}
          </Link>
        </p>
      )}
      {isApproval === true ? (
        <p>
          <Link to="/approvals" search={{ runId }}>
            Open the request
          </Link>
        </p>
      ) : null}
    </section>
  );
}
