import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** A link to a run by its id; nothing for null. */
export const RunLink = ({ runId }: { runId: string | null }): ReactNode =>
  runId === null ? null : (
    <Link to="/runs/$runId" params={{ runId }} className="mono">
      {runId}
    </Link>
  );
