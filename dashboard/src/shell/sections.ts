import type { Scope } from "../api/server.ts";
import { useMay } from "./may.tsx";

/** The sections of the dashboard, as the navigation and the palette list them. */
const SECTIONS = [
  { to: "/", title: "Overview" },
  { to: "/runs", title: "Runs" },
  { to: "/definitions", title: "Definitions" },
  { to: "/queues", title: "Queues" },
  { to: "/topics", title: "Topics" },
  { to: "/deliveries", title: "Deliveries", scope: "admin" },
  { to: "/schedules", title: "Schedules" },
  { to: "/audit", title: "Audit" },
  { to: "/fork", title: "Fork" },
] as const;

type Section = (typeof SECTIONS)[number];

/** Those of which the user may see something. */
export function useSections(): readonly Section[] {
  const may = useMay();
  return SECTIONS.filter((section) => !("scope" in section) || may(section.scope satisfies Scope));
}
