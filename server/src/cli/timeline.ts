/**
 * The timeline of a run: a line per step, in the order of the journal, with a bar for its time in the life of the run.
 * Open waits and retries come last.
 */
import type { ErrorRecord, RunState, StepInProgress, TimedJournalEntry } from "@oxbow/sdk";
import { count, showDuration, showError, showJson, showSince, showTime } from "./show.ts";
import type { Style } from "./style.ts";
import { cut, pad, widest } from "./width.ts";

/** The parts of a run that a timeline shows. */
type TimedRun = Pick<RunState, "startedAt" | "completedAt" | "waits" | "retries" | "inProgress">;

export interface TimelineOptions {
  /** Width of the terminal. */
  readonly columns: number;
  readonly style: Style;
}

interface Line {
  readonly name: string;
  readonly kind: string;
  readonly attempts: string;
  readonly from: number;
  /** Null before the end. */
  readonly to: number | null;
  readonly look: "work" | "wait" | "failed" | "retry";
  readonly remark: string;
}

const MOST_NAME = 32;
const NARROWEST_BAR = 16;
const WAITING_KINDS = new Set(["sleep", "wait", "invoke"]);
const DECIDED = "◆";
const BARS: Record<Line["look"], string> = { work: "█", wait: "░", failed: "█", retry: "▒" };

export function timeline(
  about: {
    readonly run: TimedRun;
    readonly steps: readonly TimedJournalEntry[];
    readonly now: number;
  },
  { columns, style }: TimelineOptions,
): string[] {
  const { run, steps, now } = about;
  const begin = run.startedAt.getTime();
  const lines = [
    ...steps.map(toLine),
    ...waitsOf(run).map((wait) => waitLine(wait, begin)),
    ...retryLines(run),
    ...run.inProgress.map(callLine),
  ];
  if (lines.length === 0) return [];
  const end = lines.reduce(
    (latest, { from, to }) => Math.max(latest, to ?? from),
    Math.max(run.completedAt?.getTime() ?? now, begin + 1),
  );

  const cells = lines.map((line) => [
    cut(line.name, MOST_NAME),
    line.kind,
    line.attempts,
    `+${showDuration(line.from - begin)}`,
    line.to === null
      ? `${showDuration(Math.max(0, end - line.from))}…`
      : showDuration(line.to - line.from),
  ]);
  const head = ["STEP", "KIND", "CALLS", "START", "TOOK"];
  const widths = head.map((title, index) =>
    widest([title, ...cells.map((row) => row[index] ?? "")]),
  );
  const text = (row: readonly string[]): string =>
    row.map((cell, index) => pad(cell, widths[index] ?? 0)).join("  ");
  const used = text(head).length + 2;
  const width = Math.max(NARROWEST_BAR, columns - used - 1);

  return [
    `${style("dim", text(head))}  ${style("dim", scale(end - begin, width))}`,
    ...lines.flatMap((line, index) => {
      const bar = drawBar(line, { begin, end, width });
      const drawn = `${text(cells[index] ?? [])}  ${colour(line, style)(bar)}`;
      if (line.remark === "") return [drawn];
      return [drawn, colourRemark(line, style)(`  ${cut(line.remark, Math.max(40, columns - 3))}`)];
    }),
  ];
}

/** A sentence for each step in progress, wait and retry of a running run. */
export function openEnds(
  run: Pick<RunState, "waits" | "retries" | "activity" | "inProgress">,
  now: number,
): string[] {
  return [
    ...run.inProgress.map(
      ({ step, attempt, since, worker }) =>
        `Executing step "${step}" on ${worker}, ${attempt === 1 ? "" : `attempt ${attempt}, `}for ${showDuration(now - since.getTime())} so far.`,
    ),
    ...waitsOf(run).map((wait) => waitSentence(wait, now)),
    ...retriesOf(run).map(
      ({ step, attempts, until, error }) =>
        `Tries step "${step}" again ${dueText(until, now)}: call ${attempts} failed by ${showError(error)}`,
    ),
  ];
}

const dueText = (until: Date | undefined, now: number): string => {
  if (until === undefined) return "soon";
  return until.getTime() > now ? showSince(until, now) : "as soon as a worker is free";
};

function waitSentence(
  { kind, step, event, isApproval, match, until }: OpenWait,
  now: number,
): string {
  const deadline = until === undefined ? "" : `until ${showTime(until)} (${showSince(until, now)})`;
  if (kind === "sleep") return `Sleeps in step "${step}" ${deadline}.`;
  if (kind === "invoke") return `Waits in step "${step}" for the end of the run that it started.`;
  const matching = match === undefined ? "" : ` that contains ${showJson(match, 80)}`;
  const awaited = isApproval ? "an approval" : `event "${event}"${matching}`;
  return `Waits in step "${step}" for ${awaited}${deadline === "" ? ", without a timeout" : `, ${deadline}`}.`;
}

function toLine(entry: TimedJournalEntry): Line {
  const { name, kind, attempts, error, startedAt, completedAt, failures = [], decisions } = entry;
  const last = failures.at(-1);
  const waits = WAITING_KINDS.has(kind);
  return {
    name,
    kind,
    attempts: waits ? "" : String(attempts),
    from: startedAt.getTime(),
    to: completedAt.getTime(),
    look: error === undefined ? (waits ? "wait" : "work") : "failed",
    remark:
      error !== undefined
        ? `✗ ${showError(error)}`
        : last === undefined
          ? decisionsText(decisions)
          : `↻ ${count(failures.length, "earlier call")} failed, the last by ${showError(last.error)}`,
  };
}

const decisionsText = (decisions: TimedJournalEntry["decisions"] = []): string =>
  decisions.map(({ name, output }) => `${DECIDED} ${name}: ${showJson(output, 60)}`).join("  ");

const callLine = ({ step, attempt, since }: StepInProgress): Line => ({
  name: step,
  kind: "run",
  attempts: String(attempt),
  from: since.getTime(),
  to: null,
  look: "work",
  remark: "",
});

const waitLine = (wait: OpenWait, begin: number): Line => ({
  name: wait.step,
  kind: wait.kind === "event" ? "wait" : wait.kind,
  attempts: "",
  from: wait.since?.getTime() ?? begin,
  to: null,
  look: "wait",
  remark: "",
});

const retryLines = (run: TimedRun): Line[] =>
  retriesOf(run).map(({ step, attempts, until, error }) => {
    const due = until?.getTime() ?? Date.now();
    return {
      name: step,
      kind: "run",
      attempts: `${attempts}+`,
      from: Math.min(due, Date.now()),
      to: null,
      look: "retry",
      remark: `↻ ${showError(error)}`,
    };
  });

function drawBar(
  { from, to, look }: Line,
  { begin, end, width }: { begin: number; end: number; width: number },
): string {
  const perCell = (end - begin) / width;
  const first = Math.min(width - 1, Math.max(0, Math.floor((from - begin) / perCell)));
  const last = Math.min(width, Math.max(first + 1, Math.round(((to ?? end) - begin) / perCell)));
  const bar = BARS[look].repeat(last - first);
  // A step that is short compared to the run is a tick instead of a block.
  const isShort = last - first === 1 && (to ?? end) - from < perCell / 2;
  const drawn = isShort && look !== "wait" ? "▏" : bar;
  return " ".repeat(first) + (to === null ? `${drawn.slice(0, -1)}▶` : drawn);
}

const colour =
  ({ look }: Line, style: Style) =>
  (bar: string): string =>
    look === "failed" || look === "retry"
      ? style(look === "failed" ? "red" : "yellow", bar)
      : style(look === "wait" ? "dim" : "cyan", bar);

const colourRemark =
  ({ look, remark }: Line, style: Style) =>
  (text: string): string =>
    style(look === "failed" ? "red" : remark.startsWith(DECIDED) ? "dim" : "yellow", text);

/** "0 ───── 1m 4s" over the bars. */
function scale(totalMs: number, width: number): string {
  const total = showDuration(totalMs);
  return `0 ${"─".repeat(Math.max(1, width - total.length - 3))} ${total}`;
}

// ── Waits and retries in the state of a run, which SQL may have written in any form ──────────────────────────

interface OpenWait {
  readonly kind: string;
  readonly step: string;
  readonly event: string;
  readonly isApproval: boolean;
  readonly match: unknown;
  readonly since: Date | undefined;
  readonly until: Date | undefined;
}

interface OpenRetry {
  readonly step: string;
  readonly attempts: number;
  readonly until: Date | undefined;
  readonly error: ErrorRecord;
}

const waitsOf = ({ waits }: Pick<RunState, "waits">): OpenWait[] =>
  waits.filter(isObject).map((wait) => ({
    kind: String(wait["kind"]),
    step: String(wait["step"]),
    event: typeof wait["event"] === "string" ? wait["event"] : "",
    isApproval: wait["approval"] === true,
    match: wait["match"],
    since: toDate(wait["since"]),
    until: toDate(wait["until"]),
  }));

/** Steps that wait for their next attempt and are not in progress. */
const retriesOf = ({
  retries,
  inProgress,
}: Pick<RunState, "retries" | "inProgress">): OpenRetry[] =>
  retries
    .filter(isObject)
    .filter((retry) => !inProgress.some(({ step }) => step === retry["step"]))
    .map((retry) => ({
      step: String(retry["step"]),
      attempts: Number(retry["attempts"]),
      until: toDate(retry["until"]),
      error: isObject(retry["error"])
        ? { name: String(retry["error"]["name"]), message: String(retry["error"]["message"]) }
        : { name: "Error", message: "unknown" },
    }));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function toDate(value: unknown): Date | undefined {
  const date = typeof value === "string" || typeof value === "number" ? new Date(value) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}
