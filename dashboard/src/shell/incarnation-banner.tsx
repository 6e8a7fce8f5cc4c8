import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { readinessQuery } from "../api/server.ts";

const COPIES = {
  held: "This database is a copy, and held: no run continues until it is released.",
  sandbox: "This database is a sandbox: what it would send to urls is captured.",
};

/** A copy must not look like the original. */
export function IncarnationBanner(): ReactNode {
  const { data } = useQuery(readinessQuery);
  // If there are several databases, the banner of shards names the affected ones.
  if (data?.shards !== undefined) return null;
  if (data?.status === "not ready") {
    return (
      <p className="banner bad" role="status">
        The server is not ready{data.reason === undefined ? "." : `: ${data.reason}`}
      </p>
    );
  }
  const incarnation = data?.incarnation;
  if (incarnation === undefined || incarnation === "live") return null;
  return (
    <p className="banner" role="status">
      {COPIES[incarnation]} <Link to="/fork">Look at the fork</Link>
    </p>
  );
}
