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
} from "@tanstack/react-router";
import { readApprovalsSearch } from "./pages/approvals/approvals-search.ts";
import { readAuditSearch } from "./pages/audit/audit-search.ts";
import { readCatalogSearch } from "./pages/catalog/catalog-search.ts";
import { readDefinitionSearch } from "./pages/definition/definition-search.ts";
import { readDeadLettersSearch } from "./pages/deliveries/dead-letters-search.ts";
import { readDeliveriesSearch } from "./pages/deliveries/deliveries-search.ts";
import { readEventsSearch } from "./pages/events/events-search.ts";
import { readForkSearch } from "./pages/fork/fork-search.ts";
import { readPeekSearch } from "./pages/queue/peek-search.ts";
import { readRunsSearch } from "./pages/runs/runs-search.ts";
import { NotFound } from "./shell/not-found.tsx";
import { RouteProblem } from "./shell/route-problem.tsx";
import { Shell } from "./shell/shell.tsx";

const rootRoute = createRootRoute({ component: Shell });

const routes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/",
    component: lazyRouteComponent(
      () => import("./pages/overview/overview-page.tsx"),
      "OverviewPage",
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/runs",
    validateSearch: readRunsSearch,
    component: lazyRouteComponent(() => import("./pages/runs/runs-page.tsx"), "RunsPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/runs/$runId",
    component: lazyRouteComponent(() => import("./pages/run/run-page.tsx"), "RunPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/queues",
    component: lazyRouteComponent(() => import("./pages/queues/queues-page.tsx"), "QueuesPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/queues/$name",
    validateSearch: readPeekSearch,
    component: lazyRouteComponent(() => import("./pages/queue/queue-page.tsx"), "QueuePage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/topics",
    component: lazyRouteComponent(() => import("./pages/topics/topics-page.tsx"), "TopicsPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/deliveries",
    validateSearch: readDeliveriesSearch,
    component: lazyRouteComponent(
      () => import("./pages/deliveries/deliveries-page.tsx"),
      "DeliveriesPage",
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/dead-letters",
    validateSearch: readDeadLettersSearch,
    component: lazyRouteComponent(
      () => import("./pages/deliveries/dead-letters-page.tsx"),
      "DeadLettersPage",
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/schedules",
    component: lazyRouteComponent(
      () => import("./pages/schedules/schedules-page.tsx"),
      "SchedulesPage",
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/endpoints",
    component: lazyRouteComponent(
      () => import("./pages/endpoints/endpoints-page.tsx"),
      "EndpointsPage",
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/approvals",
    validateSearch: readApprovalsSearch,
    component: lazyRouteComponent(
      () => import("./pages/approvals/approvals-page.tsx"),
      "ApprovalsPage",
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/approvals/$approvalId",
    component: lazyRouteComponent(
      () => import("./pages/approvals/approval-page.tsx"),
      "ApprovalPage",
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/audit",
    validateSearch: readAuditSearch,
    component: lazyRouteComponent(() => import("./pages/audit/audit-page.tsx"), "AuditPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/fork",
    validateSearch: readForkSearch,
    component: lazyRouteComponent(() => import("./pages/fork/fork-page.tsx"), "ForkPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/definitions",
    component: lazyRouteComponent(
      () => import("./pages/definitions/definitions-page.tsx"),
      "DefinitionsPage",
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/definitions/$name",
    validateSearch: readDefinitionSearch,
    component: lazyRouteComponent(
      () => import("./pages/definition/definition-page.tsx"),
      "DefinitionPage",
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/definitions/$name/events",
    validateSearch: readEventsSearch,
    component: lazyRouteComponent(() => import("./pages/events/events-page.tsx"), "EventsPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/catalog",
    validateSearch: readCatalogSearch,
    component: lazyRouteComponent(() => import("./pages/catalog/catalog-page.tsx"), "CatalogPage"),
  }),
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
