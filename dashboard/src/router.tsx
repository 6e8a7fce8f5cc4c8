/**
 * Addresses. They stand behind the "#", so that the server needs no rule for them, and a proxy may serve the dashboard
 * under any path. The address of a page contains all that it shows: filters and places in lists.
 */
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type RouteComponent,
} from "@tanstack/react-router";
import type { ReactNode } from "react";
import { id, searchReader } from "./format/search.ts";
import { readApprovalsSearch } from "./pages/approvals/approvals-search.ts";
import { readAuditSearch } from "./pages/audit/audit-search.ts";
import { readCatalogSearch } from "./pages/catalog/catalog-search.ts";
import { readDeliveriesSearch } from "./pages/deliveries/deliveries-search.ts";
import { readEventsSearch } from "./pages/events/events-search.ts";
import { readPeekSearch } from "./pages/queue/peek-search.ts";
import { readRunsSearch } from "./pages/runs/runs-search.ts";
import { NotFound } from "./shell/not-found.tsx";
import { RouteProblem } from "./shell/route-problem.tsx";
import { Shell } from "./shell/shell.tsx";

const rootRoute = createRootRoute({ component: Shell });

/**
 * A page, which is loaded when it is opened.
 *
 * @param name Of the component in its file.
 * @param readSearch Reads what its address has after the path.
 */
const page = <const Path extends string, Name extends string, Search extends object = object>(
  path: Path,
  load: () => Promise<Readonly<Record<Name, () => ReactNode>>>,
  name: Name,
  readSearch?: (given: Readonly<Record<string, unknown>>) => Search,
) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    component: lazyRouteComponent(load, name) as RouteComponent,
    validateSearch: readSearch as (given: Record<string, unknown>) => Search,
  });

const readAfter = searchReader({
  /** Id of the last entry of the page before. */
  after: id,
});
const readRun = searchReader({
  /** The run whose progress is shown on the canvas. */
  run: id,
});

const routes = [
  page("/", () => import("./pages/overview/overview-page.tsx"), "OverviewPage"),
  page("/runs", () => import("./pages/runs/runs-page.tsx"), "RunsPage", readRunsSearch),
  page("/runs/$runId", () => import("./pages/run/run-page.tsx"), "RunPage"),
  page("/queues", () => import("./pages/queues/queues-page.tsx"), "QueuesPage"),
  page("/queues/$name", () => import("./pages/queue/queue-page.tsx"), "QueuePage", readPeekSearch),
  page("/topics", () => import("./pages/topics/topics-page.tsx"), "TopicsPage"),
  page(
    "/deliveries",
    () => import("./pages/deliveries/deliveries-page.tsx"),
    "DeliveriesPage",
    readDeliveriesSearch,
  ),
  page(
    "/dead-letters",
    () => import("./pages/deliveries/dead-letters-page.tsx"),
    "DeadLettersPage",
    readAfter,
  ),
  page("/schedules", () => import("./pages/schedules/schedules-page.tsx"), "SchedulesPage"),
  page("/endpoints", () => import("./pages/endpoints/endpoints-page.tsx"), "EndpointsPage"),
  page(
    "/approvals",
    () => import("./pages/approvals/approvals-page.tsx"),
    "ApprovalsPage",
    readApprovalsSearch,
  ),
  page(
    "/approvals/$approvalId",
    () => import("./pages/approvals/approval-page.tsx"),
    "ApprovalPage",
  ),
  page("/audit", () => import("./pages/audit/audit-page.tsx"), "AuditPage", readAuditSearch),
  page("/fork", () => import("./pages/fork/fork-page.tsx"), "ForkPage", readAfter),
  page("/definitions", () => import("./pages/definitions/definitions-page.tsx"), "DefinitionsPage"),
  page(
    "/definitions/$name",
    () => import("./pages/definition/definition-page.tsx"),
    "DefinitionPage",
    readRun,
  ),
  page(
    "/definitions/$name/events",
    () => import("./pages/events/events-page.tsx"),
    "EventsPage",
    readEventsSearch,
  ),
  page(
    "/catalog",
    () => import("./pages/catalog/catalog-page.tsx"),
    "CatalogPage",
    readCatalogSearch,
  ),
  // As earlier versions named the page of topics.
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/subscriptions",
    beforeLoad: () => {
      redirect({ to: "/topics", throw: true });
    },
  }),
] as const;

export const router = createRouter({
  routeTree: rootRoute.addChildren(routes),
  history: createHashHistory(),
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: RouteProblem,
  // Values are text, as in any form: an address stays readable, and may be written by hand.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
    const text = new URLSearchParams(
      given.map(([name, value]) => [name, String(value)]),
    ).toString();
    return text === "" ? "" : `?${text}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
