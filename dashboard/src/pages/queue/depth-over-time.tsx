/** How many messages the queue has held, and how old the oldest was; with its gaps filled in `api/queue-depths.ts`. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { depthsOverTime, queueDepthsQuery } from "../../api/queue-depths.ts";
import { samplesOf } from "../../api/queue-samples.ts";
import { duration } from "../../format/duration.ts";
import { type Series, TimeChart } from "../../parts/time-chart.tsx";
import { useNow } from "../../shell/use-now.ts";
import { CHART_HOURS, type PeekSearch, readPeekSearch } from "./peek-search.ts";
import "./depth-over-time.css";

const DEPTH: readonly Series[] = [
  { kind: "line", colour: "--accent" },
  { kind: "line", colour: "--warn" },
  { kind: "line", colour: "--soft" },
];
const AGE: readonly Series[] = [{ kind: "line", colour: "--bad" }];

/** No server looked, for example. */
const UNKNOWN = "now unknown";

/** Lines need two points. */
const LEAST_SAMPLES = 2;

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

export function DepthOverTime({
  queue,
  search,
}: {
  readonly queue: string;
  readonly search: PeekSearch;
}): ReactNode {
  const hours = search.hours ?? "1";
  // To the minute, so that the same depths are asked for once a minute.
  const sinceMs = Math.floor((useNow() - Number(hours) * HOUR_MS) / MINUTE_MS) * MINUTE_MS;
  const { data } = useQuery({
    ...queueDepthsQuery(queue, new Date(sinceMs).toISOString()),
    placeholderData: keepPreviousData,
  });
  const seen = samplesOf(queue);
  const samples = useMemo(
    () => depthsOverTime(data?.depths ?? [], seen, sinceMs),
    [data, seen, sinceMs],
  );
  const [depth, age] = useMemo(() => {
    const times = samples.map(({ at }) => at);
    return [
      [
        times,
        samples.map(({ ready }) => ready),
        samples.map(({ inFlight }) => inFlight),
        samples.map(({ delayed }) => delayed),
      ],
      [times, samples.map(({ oldest }) => oldest)],
    ];
  }, [samples]);
  const last = samples.at(-1);
  if (last === undefined || samples.length < LEAST_SAMPLES) {
    return <p className="soft">No depth was recorded yet. A server looks once a minute.</p>;
  }
  const mostReady = samples.reduce((most, { ready }) => Math.max(most, ready ?? 0), 0);
  const isKnown = last.ready !== null && last.oldest !== null;
  return (
    <div className="card depths">
      <Hours queue={queue} search={search} />
      <figure>
        <figcaption>
          Messages{data?.depths.some(({ isEstimate }) => isEstimate) === true ? " (estimated)" : ""}
          : <span className="ready">ready</span>, <span className="in-flight">in flight</span>,{" "}
          <span className="delayed">delayed</span>
        </figcaption>
        <TimeChart
          label={`Messages over time: ${isKnown ? `now ${last.ready} ready, ${last.inFlight} in flight, ${last.delayed} delayed` : UNKNOWN}; most ready at a time ${mostReady}`}
          series={DEPTH}
          data={depth}
        />
      </figure>
      <figure>
        <figcaption>Age of the oldest message, in seconds</figcaption>
        <TimeChart
          label={`Age of the oldest message over time: ${isKnown ? `now ${duration(last.oldest * 1_000)}` : UNKNOWN}`}
          series={AGE}
          data={age}
        />
      </figure>
    </div>
  );
}

function Hours({
  queue,
  search,
}: {
  readonly queue: string;
  readonly search: PeekSearch;
}): ReactNode {
  const navigate = useNavigate();
  return (
    <select
      aria-label="Charts go back"
      value={search.hours ?? "1"}
      onChange={({ currentTarget: { value: hours } }) => {
        void navigate({
          to: "/queues/$name",
          params: { name: queue },
          search: readPeekSearch({ ...search, hours }),
        });
      }}
    >
      {CHART_HOURS.map((hours) => (
        <option key={hours} value={hours}>
          {hours === "1" ? "the last hour" : `the last ${hours} hours`}
        </option>
      ))}
    </select>
  );
}
