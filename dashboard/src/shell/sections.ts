import type { Scope } from "../api/session.ts";
import { useMay } from "./may.tsx";

/** The sections of the dashboard, as the navigation and the palette list them. Some are for users with one of their scopes. */
const SECTIONS = [
  { to: "/", title: "Overview" },
  { to: "/runs", title: "Runs" },
  { to: "/definitions", title: "Definitions" },
  { to: "/catalog", title: "Catalog" },
  { to: "/approvals", title: "Approvals", scopes: ["read", "approve"] },
  { to: "/queues", title: "Queues" },
  { to: "/topics", title: "Topics" },
  { to: "/deliveries", title: "Deliveries", scopes: ["admin"] },
  { to: "/dead-letters", title: "Dead letters", scopes: ["admin"] },
  { to: "/schedules", title: "Schedules" },
  { to: "/endpoints", title: "Endpoints", scopes: ["admin"] },
  { to: "/audit", title: "Audit" },
  { to: "/fork", title: "Fork" },
] as const;

type Section = (typeof SECTIONS)[number];

/** Those of which the user may see something. */
export function useSections(): readonly Section[] {
  const may = useMay();
  return SECTIONS.filter(
    (section) =>
      !("scopes" in section) ||
      (section.scopes satisfies readonly Scope[]).some((scope) => may(scope)),
  );
}
