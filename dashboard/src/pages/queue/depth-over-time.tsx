/** How many messages the queue has held, and how old the oldest was, since the dashboard was opened. */
import { type ReactNode, useMemo } from "react";
import { samplesOf } from "../../api/queue-samples.ts";
import { duration } from "../../format/duration.ts";
import { type Series, TimeChart } from "../../parts/time-chart.tsx";
import { useNow } from "../../shell/use-now.ts";
import "./depth-over-time.css";

const DEPTH: readonly Series[] = [
  { kind: "line", colour: "--accent" },
  { kind: "line", colour: "--warn" },
  { kind: "line", colour: "--soft" },
];
const AGE: readonly Series[] = [{ kind: "line", colour: "--bad" }];

/** Lines need two points. */
const LEAST_SAMPLES = 2;

export function DepthOverTime({ queue }: { queue: string }): ReactNode {
  // A queue that doesn't change has samples, too.
  useNow();
  const samples = samplesOf(queue);
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
    return <p className="soft">Recording while the dashboard is open…</p>;
  }
  return (
    <div className="card depths">
      <figure>
        <figcaption>
          Messages: <span className="ready">ready</span>,{" "}
          <span className="in-flight">in flight</span>, <span className="delayed">delayed</span>
        </figcaption>
        <TimeChart
          label={`Messages over time: now ${last.ready} ready, ${last.inFlight} in flight, ${last.delayed} delayed`}
          series={DEPTH}
          data={depth}
        />
      </figure>
      <figure>
        <figcaption>Age of the oldest message, in seconds</figcaption>
        <TimeChart
          label={`Age of the oldest message over time: now ${duration(last.oldest * 1_000)}`}
          series={AGE}
          data={age}
        />
      </figure>
    </div>
  );
}
