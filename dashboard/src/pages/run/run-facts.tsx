import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Run } from "../../api/runs.ts";
import { containmentText } from "../../format/containment.ts";
import { duration, took } from "../../format/duration.ts";
import { Facts } from "../../parts/facts.tsx";
import { RunLink } from "../../parts/run-link.tsx";
import { FullTime, Time } from "../../parts/time.tsx";
import { useNow } from "../../shell/use-now.ts";

export function RunFacts({ run }: { run: Run }): ReactNode {
  const now = useNow();
  const isRunning = run.status === "running";
  return (
    <div className="card">
      <Facts
        of={[
          [
            "Workflow",
            <Link key="workflow" to="/runs" search={{ workflow: run.name }}>
              {run.name}
            </Link>,
          ],
          ["Version", run.version],
          ["Started", <FullTime key="started" at={run.startedAt} />],
          [isRunning ? "For" : "Took", duration(took(run.startedAt, run.completedAt, now))],
          [
            "Resumes",
            isRunning && run.resumesAt !== null ? <Time key="resumes" at={run.resumesAt} /> : null,
          ],
          ["Generation", run.generation === 1 ? null : run.generation],
          ["Deadline", run.deadline === null ? null : <Time key="deadline" at={run.deadline} />],
          [
            "Paused",
            run.pausedAt === null ? null : (
              <>
                <Time at={run.pausedAt} />
                {run.pauseReason === null ? "" : `: ${run.pauseReason}`}
              </>
            ),
          ],
          [
            "Attempts since the last progress",
            isRunning && (run.attempt ?? 0) > 1 ? run.attempt : null,
          ],
          ["Retried", run.retried === 0 ? null : `${run.retried} times`],
          [
            "Scheduled for",
            run.scheduledAt === null ? null : <FullTime key="tick" at={run.scheduledAt} />,
          ],
          ["Idempotency key", run.idempotencyKey],
          ["Tags", run.tags === null ? null : containmentText(run.tags)],
          ["Started by a step of", runLink(run.parent)],
          ["Handles the failure of", runLink(run.failureOf)],
          ["Repeats", runLink(run.rerunOf)],
          ["Replaced by", runLink(run.supersededBy)],
        ]}
      />
    </div>
  );
}

const runLink = (runId: string | null): ReactNode =>
  runId === null ? null : <RunLink runId={runId} />;
