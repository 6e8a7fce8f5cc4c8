/** The life of a run: a bar a step, at its place and of its length; steps in progress come last. */
import { duration, el, errorText } from "./dom.js";

const WAITING = new Set(["sleep", "wait", "invoke"]);

export function timeline(run, steps, now) {
  const begin = Date.parse(run.startedAt);
  const lines = [...steps.map(stepLine), ...openLines(run, begin, now)];
  if (lines.length === 0) {
    return el("div", { class: "card" }, el("p", { class: "empty" }, "No step has ended yet."));
  }
  const latest = Math.max(...lines.map(({ from, to }) => to ?? from));
  const end = Math.max(
    run.completedAt === null ? now : Date.parse(run.completedAt),
    latest,
    begin + 1,
  );
  const percent = (ms) => `${Math.min(100, Math.max(0, (100 * ms) / (end - begin)))}%`;
  return el(
    "div",
    { class: "card" },
    el(
      "ol",
      { class: "timeline" },
      lines.map(({ name, kind, calls, from, to, look, remark }) =>
        el(
          "li",
          {},
          el(
            "span",
            { class: "name" },
            name,
            " ",
            el("span", { class: "kind" }, calls > 1 ? `${kind}, ${calls} calls` : kind),
          ),
          el(
            "span",
            { class: "track", "aria-hidden": "true" },
            el("span", {
              class: `bar ${look}${to === undefined ? " open" : ""}`,
              style: { left: percent(from - begin), width: percent((to ?? end) - from) },
            }),
          ),
          el(
            "span",
            { class: "took" },
            to === undefined ? `${duration(Math.max(0, end - from))}…` : duration(to - from),
          ),
          remark === ""
            ? ""
            : el(
                "span",
                { class: `remark ${look === "failed" ? "bad" : look === "retry" ? "warn" : ""}` },
                remark,
              ),
        ),
      ),
    ),
  );
}

function stepLine({ name, kind, attempts, error, startedAt, completedAt, failures = [] }) {
  const isWait = WAITING.has(kind);
  return {
    name,
    kind,
    calls: isWait ? 1 : attempts,
    from: Date.parse(startedAt),
    to: Date.parse(completedAt),
    look: error === undefined ? (isWait ? "wait" : "work") : "failed",
    remark: error === undefined ? earlierCalls(failures) : `✗ ${errorText(error)}`,
  };
}

const earlierCalls = (failures) =>
  failures.length === 0
    ? ""
    : `↻ ${failures.length} earlier call${failures.length === 1 ? "" : "s"} failed, the last by ${errorText(failures.at(-1).error)}`;

const until = (value) =>
  value === undefined || value === null ? "" : `, until ${new Date(value).toLocaleString()}`;

/** A retry that is being called is shown as a call in progress. */
const isUncalled =
  ({ inProgress }) =>
  (retry) =>
    !inProgress.some(({ step }) => step === retry.step);

/** The waits and retries of a running run. */
function openLines(run, begin, now) {
  if (run.status !== "running") return [];
  return [
    ...(run.waits ?? []).map((wait) => ({
      name: String(wait.step),
      kind: wait.kind === "event" ? "wait" : String(wait.kind),
      calls: 1,
      from: wait.since === undefined ? begin : new Date(wait.since).getTime(),
      look: "wait",
      remark:
        wait.kind === "event"
          ? `Waits for event "${wait.event}"${until(wait.until)}.`
          : wait.kind === "sleep"
            ? `Sleeps${until(wait.until)}.`
            : "Waits for the end of the run that it started.",
    })),
    ...run.inProgress.map(({ step, attempt, since, worker }) => ({
      name: step,
      kind: "run",
      calls: attempt,
      from: Date.parse(since),
      look: "work",
      remark: `Called by ${worker}.`,
    })),
    ...(run.retries ?? []).filter(isUncalled(run)).map((retry) => ({
      name: String(retry.step),
      kind: "run",
      calls: Number(retry.attempts),
      from: Math.min(now, new Date(retry.until ?? now).getTime()),
      look: "retry",
      remark: `↻ ${errorText(retry.error)}${until(retry.until).replace(", until", "; tries again")}`,
    })),
  ];
}
