/** The sections of the dashboard, as the navigation and the palette list them. */
export const SECTIONS = [
  { to: "/", title: "Overview" },
  { to: "/runs", title: "Runs" },
  { to: "/queues", title: "Queues" },
  { to: "/topics", title: "Topics" },
  { to: "/deliveries", title: "Deliveries" },
  { to: "/schedules", title: "Schedules" },
  { to: "/audit", title: "Audit" },
] as const;
