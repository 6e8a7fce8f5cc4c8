"use client";
import { type InitialRun, RunProgress, useRun, useSignal } from "@oxbow/react";
import "@oxbow/react/style.css";
import type { onboardUser } from "@/lib/onboard-user";

const STEPS: Record<string, string> = {
  confirm: "Confirm the request",
  "ask team": "Ask the team",
  approved: "Approve",
  decide: "Decide",
  tell: "Send the decision",
};

const RESULTS = {
  member: "Welcome to the club.",
  expired: "Nobody has approved the request in time.",
};

export function Onboarding({ runId, initial }: { runId: string; initial: InitialRun }) {
  const run = useRun<typeof onboardUser>(runId, { initial });
  const approval = useSignal<typeof onboardUser>(runId, "approved");
  return (
    <>
      <RunProgress run={run} nameStep={(name) => STEPS[name] ?? name} />
      {run.activity === "waiting" && (
        <button
          disabled={approval.isSending || approval.outcome !== undefined}
          onClick={() => approval.send({ by: "Ada" })}
        >
          Approve
        </button>
      )}
      {approval.failure !== null && <p role="alert">{approval.failure.message}</p>}
      {run.status === "completed" && <p>{RESULTS[run.output]}</p>}
    </>
  );
}
