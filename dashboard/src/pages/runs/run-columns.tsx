/** The columns of the list of runs; each browser shows the ones chosen by its user. */
import { Link } from "@tanstack/react-router";
import type { ListedRun } from "../../api/runs.ts";
import { duration, took } from "../../format/duration.ts";
import { containmentText } from "../../format/containment.ts";
import { errorText } from "../../format/error-text.ts";
import { shortened } from "../../format/shortened.ts";
import { Badge } from "../../parts/badge.tsx";
import { RunLink } from "../../parts/run-link.tsx";
import type { Column } from "../../parts/table.tsx";
import { FullTime, Time } from "../../parts/time.tsx";

const LONGEST_TEXT = 160;

/** Columns by title, in the order of the table. */
export const RUN_COLUMNS: readonly Column<ListedRun>[] = [
  { title: "Run", cell: ({ runId }) => <RunLink runId={runId} /> },
  {
    title: "Workflow",
    kind: "long",
    cell: ({ name }) => (
      <Link to="/runs" search={{ workflow: name }}>
        {name}
      </Link>
    ),
  },
  { title: "Version", kind: "number", wide: true, cell: ({ version }) => version },
  {
    title: "Status",
    cell: ({ status, activity }) => <Badge text={activity ?? status} />,
  },
  { title: "Started", cell: ({ startedAt }) => <FullTime at={startedAt} /> },
  { title: "Ended", wide: true, cell: ({ completedAt }) => <FullTime at={completedAt} /> },
  {
    title: "Took",
    kind: "number",
    wide: true,
    cell: ({ startedAt, completedAt }) =>
      completedAt === null ? "" : duration(took(startedAt, completedAt)),
  },
  { title: "Deadline", wide: true, cell: ({ deadline }) => <Time at={deadline} /> },
  { title: "Key", kind: "long", wide: true, cell: ({ idempotencyKey }) => idempotencyKey },
  {
    title: "Tags",
    kind: "long",
    wide: true,
    cell: ({ tags }) =>
      tags === null ? "" : <code>{shortened(containmentText(tags), LONGEST_TEXT)}</code>,
  },
  {
    title: "Error",
    kind: "text",
    wide: true,
    cell: ({ error }) => shortened(errorText(error), LONGEST_TEXT),
  },
  { title: "Parent", wide: true, cell: ({ parent }) => <RunLink runId={parent} /> },
  { title: "Rerun of", wide: true, cell: ({ rerunOf }) => <RunLink runId={rerunOf} /> },
  { title: "Failure of", wide: true, cell: ({ failureOf }) => <RunLink runId={failureOf} /> },
  { title: "About", kind: "text", wide: true, cell: aboutRun },
];

/** Always shown: it leads to the run. */
export const FIXED_COLUMN = "Run";

export const DEFAULT_COLUMNS: readonly string[] = [
  "Run",
  "Workflow",
  "Version",
  "Status",
  "Started",
  "Took",
  "About",
];

/** The error, the tags or the key, whichever distinguishes the run first. */
function aboutRun({ error, tags, idempotencyKey }: ListedRun): string {
  return shortened(
    errorText(error) || (tags === null ? (idempotencyKey ?? "") : containmentText(tags)),
    LONGEST_TEXT,
  );
}
