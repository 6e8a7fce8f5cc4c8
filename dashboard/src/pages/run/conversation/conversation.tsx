/** The conversation of a run with its models: messages, tools, and the answer in progress. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { type Approval, approvalsQuery } from "../../../api/approvals.ts";
import { type Run, stateQuery, type Step } from "../../../api/runs.ts";
import { errorText } from "../../../format/error-text.ts";
import { Badge } from "../../../parts/badge.tsx";
import { entriesOf, type Call, type Entry, type Part } from "./entries.ts";
import { useLiveAnswers } from "./live-answers.ts";
import { LongText } from "./long-text.tsx";
import { ToolCalled } from "./tool-called.tsx";
import "./conversation.css";

const MESSAGES_SHOWN = 100;
const MOST_APPROVALS = 1_000;

export function Conversation({
  run,
  steps,
}: {
  readonly run: Run;
  readonly steps: readonly Step[];
}): ReactNode {
  const { runId, status } = run;
  const isRunning = status === "running";
  const approvals = useQuery({
    ...approvalsQuery({ runId }, MOST_APPROVALS),
    ...(isRunning ? {} : { refetchInterval: false as const }),
  }).data?.approvals;
  const entries = useMemo(() => entriesOf(run, steps, approvals ?? []), [run, steps, approvals]);
  const live = useLiveAnswers(run, steps);
  const [shown, setShown] = useState(MESSAGES_SHOWN);
  const earlier = Math.max(0, entries.length - shown);
  return (
    <section aria-labelledby="conversation">
      <h2 id="conversation">Conversation</h2>
      <Usage runId={runId} />
      <div
        className="card conversation"
        role="region"
        aria-label="Messages"
        // Scrollable, so the keyboard must reach it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      >
        <div>
          {earlier === 0 ? null : (
            <p className="earlier">
              <button type="button" onClick={() => setShown(shown + MESSAGES_SHOWN)}>
                Earlier messages
              </button>{" "}
              <span className="soft">{earlier.toLocaleString("en")} more</span>
            </p>
          )}
          <ol>
            {entries.slice(earlier).map((entry) => (
              <Message key={entry.key} entry={entry} />
            ))}
            {live.map(({ step, parts }) => (
              <li key={step} className="message assistant">
                <h3>Assistant</h3>
                {keyed(parts).map(([key, part]) => (
                  <MessagePart key={key} part={part} isLive={isRunning} />
                ))}
                <p className="soft facts-of-call">{isRunning ? "Answering…" : "Not finished"}</p>
              </li>
            ))}
          </ol>
          {entries.length + live.length === 0 ? (
            <p className="empty">There is no message yet.</p>
          ) : null}
        </div>
      </div>
    </section>
  );
}

function Message({ entry }: { readonly entry: Entry }): ReactNode {
  const { role, parts, call } = entry;
  return (
    <li className={role === "user" ? "message user" : "message assistant"}>
      <h3>{TITLES[role] ?? role}</h3>
      {keyed(parts).map(([key, part]) => (
        <MessagePart key={key} part={part} />
      ))}
      {call?.error === undefined ? null : (
        <p className="bad">The model failed: {errorText(call.error)}</p>
      )}
      {call === undefined ? null : <FactsOfCall call={call} />}
    </li>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  approval: "Request for approval",
  assistant: "Assistant",
  system: "System",
  tool: "Tool",
  user: "User",
};

/** Parts have no id, and keep their places. */
const keyed = <Each extends Part>(parts: readonly Each[]): (readonly [string, Each])[] =>
  parts.map((part, n) => [`${part.kind} ${n}`, part]);

function MessagePart({
  part,
  isLive = false,
}: {
  readonly part: Part;
  readonly isLive?: boolean;
}): ReactNode {
  switch (part.kind) {
    case "text": {
      return <LongText text={part.text} />;
    }
    case "reasoning": {
      return (
        <details className="reasoning">
          <summary>{isLive ? "Reasoning…" : "Reasoning"}</summary>
          <LongText text={part.text} />
        </details>
      );
    }
    case "file": {
      return <p className="soft">File {part.text}</p>;
    }
    case "tool": {
      return <ToolCalled call={part.tool} />;
    }
    case "approval": {
      return <Request approval={part.approval} />;
    }
    default: {
      return part satisfies never;
    }
  }
}

const Request = ({
  approval: { id, title, status },
}: {
  readonly approval: Approval;
}): ReactNode => (
  <p>
    <Link to="/approvals/$approvalId" params={{ approvalId: id }}>
      {title}
    </Link>{" "}
    <Badge text={status} />
  </p>
);

function FactsOfCall({ call }: { readonly call: Call }): ReactNode {
  const { model, inputTokens, outputTokens, cost } = call;
  const facts = [
    model,
    inputTokens === undefined ? undefined : `${tokens(inputTokens)} in`,
    outputTokens === undefined ? undefined : `${tokens(outputTokens)} out`,
    cost === undefined ? undefined : `cost ${money(cost)}`,
  ].filter((fact) => fact !== undefined);
  return facts.length === 0 ? null : <p className="soft facts-of-call">{facts.join(" · ")}</p>;
}

/** All calls of the run, as it publishes them. */
function Usage({ runId }: { readonly runId: string }): ReactNode {
  const { data } = useQuery(stateQuery(runId));
  const { usage } = (data?.state ?? {}) as { readonly usage?: unknown };
  const { calls, inputTokens, outputTokens, cost } = (usage ?? {}) as Readonly<
    Record<string, unknown>
  >;
  if (![calls, inputTokens, outputTokens].every((each) => typeof each === "number")) return null;
  return (
    <p className="soft">
      {count(calls as number)} {calls === 1 ? "call" : "calls"}, {tokens(inputTokens as number)} in,{" "}
      {tokens(outputTokens as number)} out
      {typeof cost === "number" ? `, cost ${money(cost)}` : ""}
    </p>
  );
}

const count = (value: number): string => value.toLocaleString("en");

const tokens = (value: number): string => `${count(value)} ${value === 1 ? "token" : "tokens"}`;

/** In the currency of the prices, which the run doesn't name. */
const money = (value: number): string =>
  value.toLocaleString("en", { minimumFractionDigits: 2, maximumSignificantDigits: 4 });
