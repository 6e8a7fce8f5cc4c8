/** Columns of lists of queues. */
import { Link } from "@tanstack/react-router";
import type { Queue } from "../api/queues.ts";
import { duration } from "../format/duration.ts";
import type { Column } from "./table.tsx";

export const QUEUE_COLUMNS = {
  name: {
    title: "Queue",
    cell: ({ name, sqsName }) => (
      <>
        <Link to="/queues/$name" params={{ name }}>
          {name}
        </Link>
        {sqsName === null ? null : ` (in SQS ${sqsName})`}
      </>
    ),
  },
  ready: { title: "Ready", kind: "number", cell: ({ visible }) => visible.toLocaleString("en") },
  inFlight: {
    title: "In flight",
    kind: "number",
    cell: ({ inFlight }) => inFlight.toLocaleString("en"),
  },
  oldest: {
    title: "Oldest",
    kind: "number",
    cell: ({ oldestMessageAge: age }) => (age === null ? "" : duration(age * 1_000)),
  },
} satisfies Readonly<Record<string, Column<Queue>>>;
