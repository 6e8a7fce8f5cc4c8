/** What an event came to, trigger by trigger: the conditions of the guard with the values that they read. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { explanationQuery, forgetOnce, type TriggerExplanation } from "../../api/triggers.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { DetailsDialog } from "../../parts/details-dialog.tsx";
import { JsonViewer } from "../../parts/json/json-viewer.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { FullTime } from "../../parts/time.tsx";
import { useReport } from "../../parts/use-report.ts";
import { May } from "../../shell/may.tsx";

/** The trigger has done something with the event. */
const RAN: ReadonlySet<string> = new Set(["started", "delayed", "once", "matches"]);

export function ExplainDialog({
  name,
  eventId,
  version,
  onClose,
}: {
  readonly name: string;
  readonly eventId: string;
  readonly version: number | undefined;
  readonly onClose: () => void;
}): ReactNode {
  const query = useQuery(explanationQuery(name, eventId, version));
  const ran = query.data?.triggers.some(({ verdict }) => RAN.has(verdict)) ?? true;
  return (
    <DetailsDialog
      title={(id) => (ran ? `Event ${id}` : "Why didn’t it run?")}
      of={eventId}
      onClose={onClose}
    >
      {() => (
        <Answered query={query}>
          {({ triggers, topic, publishedAt, message, version: asked, pauseReason }) => (
            <>
              <p className="soft">
                {ran ? "Published" : `Event ${eventId}, published`} to <code>{topic}</code>,{" "}
                <FullTime at={publishedAt} />
                {asked === null ? "" : `. Explained by the triggers of version ${asked}`}
                {pauseReason === null ? "" : `, while paused: ${pauseReason}`}
              </p>
              {triggers.length === 0 ? <p>The definition has no triggers.</p> : null}
              {triggers.map((trigger) => (
                <Trigger key={trigger.name} name={name} trigger={trigger} />
              ))}
              <JsonViewer label="Message" value={message} />
            </>
          )}
        </Answered>
      )}
    </DetailsDialog>
  );
}

function Trigger({
  name: definition,
  trigger: { name, verdict, reason, runId, conditions, filter, onceKey, onceHolder },
}: {
  readonly name: string;
  readonly trigger: TriggerExplanation;
}): ReactNode {
  return (
    <section className="why explained" aria-label={`Trigger ${name}`}>
      <h3>
        {name} <Badge text={verdict} />
      </h3>
      <p>{reason}</p>
      {runId === null ? null : (
        <p>
          <Link to="/runs/$runId" params={{ runId }}>
            Open run {runId}
          </Link>
        </p>
      )}
      {verdict === "filtered" ? (
        <p>
          A message must contain <code>{JSON.stringify(filter)}</code>.
        </p>
      ) : null}
      {conditions.length === 0 ? null : (
        <ul className="conditions">
          {conditions.map(({ text, holds, error, values }) => (
            <li key={text} className={holds === true ? "holds" : "fails"}>
              <code>{text}</code>{" "}
              <span>{holds === null ? (error ?? "failed") : holds ? "holds" : "is false"}</span>
              {Object.entries(values).map(([path, value]) => (
                <div key={path} className="soft">
                  <code>{path}</code> is <code>{value}</code>
                </div>
              ))}
            </li>
          ))}
        </ul>
      )}
      {onceKey === null || onceHolder === null ? null : (
        <Once definition={definition} onceKey={onceKey} />
      )}
    </section>
  );
}

/** Lets the values of once_for start another run. */
function Once({
  definition,
  onceKey,
}: {
  readonly definition: string;
  readonly onceKey: string;
}): ReactNode {
  const report = useReport(["trigger-events"]);
  const [error, setError] = useState<unknown>();
  const forget = async (): Promise<void> => {
    try {
      await forgetOnce(definition, JSON.parse(onceKey) as unknown[]);
      await report(`The next event with ${onceKey} starts a run.`);
    } catch (refusal) {
      setError(refusal);
    }
  };
  return (
    <>
      <p>
        Once for <code>{onceKey}</code>.
      </p>
      <May scope="publish">
        <button type="button" onClick={() => void forget()}>
          Let it run again
        </button>
      </May>
      {error === undefined ? null : <ProblemBox error={error} />}
    </>
  );
}
