/** A run: what it is, what it does, why it doesn't move, its timeline and values, and what can be done to it. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { isDefinitionQuery } from "../../api/definitions.ts";
import { childrenQuery, type Run, runQuery, stepsQuery } from "../../api/runs.ts";
import { errorText } from "../../format/error-text.ts";
import { Answered, Loading } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { JsonViewer } from "../../parts/json/json-viewer.tsx";
import { Live, Page } from "../../parts/page.tsx";
import { ErrorDetails } from "./error-details.tsx";
import { Journal } from "./journal.tsx";
import { hasModelCalls } from "./model-calls.ts";
import { PublishedState } from "./published-state.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunChildren } from "./run-children.tsx";
import { RunFacts } from "./run-facts.tsx";
import { RunStream } from "./run-stream.tsx";
import { Timeline } from "./timeline.tsx";
import { useLiveRun } from "./use-live-run.ts";
import { WhyNotMoving } from "./why-not-moving.tsx";
import "./run.css";

/** Only runs that call models have one. */
const Conversation = lazy(async () => ({
  default: (await import("./conversation/conversation.tsx")).Conversation,
}));

const route = getRouteApi("/runs/$runId");

export function RunPage(): ReactNode {
  const { runId } = route.useParams();
  const query = useQuery(runQuery(runId));
  if (query.data === undefined) {
    return (
      <Page title={`Run ${runId}`}>
        <Answered query={query}>{() => null}</Answered>
      </Page>
    );
  }
  return <Answered query={query}>{(run) => <OneRun key={runId} run={run} />}</Answered>;
}

function OneRun({ run }: { run: Run }): ReactNode {
  const { runId } = run;
  const isRunning = run.status === "running";
  const steps = useQuery({ ...stepsQuery(runId), refetchInterval: false });
  const children = useQuery(childrenQuery(runId));
  const isDefinition = useQuery(isDefinitionQuery(run.name));
  useLiveRun(run, steps.data !== undefined);
  return (
    <Page
      title={`${run.name} ${runId}`}
      beside={
        <>
          <Badge text={run.status} />
          {isRunning && run.activity !== null ? <Badge text={run.activity} /> : null}
          {isRunning ? <Live /> : null}
        </>
      }
      actions={
        <>
          {isDefinition.data === true ? (
            <Link
              to="/definitions/$name"
              params={{ name: run.name }}
              search={{ run: runId }}
              className="button"
            >
              Show on the canvas
            </Link>
          ) : null}
          <RunActions run={run} steps={steps.data ?? []} />
        </>
      }
    >
      {run.error === null || run.error === undefined ? null : (
        <div className="problem" role="alert">
          <p>{errorText(run.error)}</p>
          <ErrorDetails error={run.error} />
        </div>
      )}
      {isRunning ? <WhyNotMoving runId={runId} /> : null}
      <RunFacts run={run} />
      <Answered query={steps}>
        {(journal) => (
          <>
            {hasModelCalls(run, journal) ? (
              <Suspense fallback={<Loading />}>
                <Conversation key={run.generation} run={run} steps={journal} />
              </Suspense>
            ) : null}
            <h2>Timeline</h2>
            <Timeline run={run} steps={journal} childRuns={children.data?.children ?? []} />
            <h2>Journal</h2>
            <Journal steps={journal} />
          </>
        )}
      </Answered>
      <RunChildren childRuns={children.data?.children ?? []} />
      <h2>Values</h2>
      {run.hasInput ? (
        <JsonViewer label="Input" value={run.input} />
      ) : (
        <p className="soft">The run was started without an input.</p>
      )}
      {run.hasOutput ? <JsonViewer label="Output" value={run.output} /> : null}
      <PublishedState runId={runId} />
      <RunStream runId={runId} />
    </Page>
  );
}
