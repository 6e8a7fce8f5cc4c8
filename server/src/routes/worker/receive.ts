/** Receiving runs: with their journals, waiting for the first one, and reading long journals by pages. */
import { type ReceiveRequest, toRelease } from "@oxbow/sdk/internal/server";
import { type Static, Type } from "typebox";
import { isThere, whileClientWaits } from "../../http/long-poll.ts";
import { route, type Route } from "../../http/route.ts";
import { Closed, Id, Json, Nullable, WaitSeconds } from "../../http/schemas.ts";
import { WorkWait } from "./work-wait.ts";
import { Trace } from "../runs/start-request.ts";
import { Count } from "./commit-shapes.ts";
import { LeaseMs } from "./leases.ts";
import { Versions } from "./versions.ts";

const Delivery = Type.Object({
  runId: Id,
  receipt: Id,
  name: Type.String(),
  version: Type.Integer(),
  attempt: Type.Integer(),
  input: Type.Optional(Json),
  journal: Type.Array(Type.Object({}, { additionalProperties: true })),
  continuation: Type.Object({}, { additionalProperties: true }),
  startedAt: Type.Number({ description: "Milliseconds since 1970." }),
  receivedAt: Type.Number({ description: "Milliseconds since 1970, by the database's clock." }),
  schedule: Type.Optional(
    Type.Object(
      { name: Type.String(), scheduledAt: Type.Number() },
      { description: "The tick that started the run." },
    ),
  ),
  trace: Type.Optional(Trace),
  failureOf: Type.Optional(Id),
  retried: Type.Optional(Type.Integer()),
  generation: Type.Optional(
    Type.Integer({ description: "Number of the generation of the run; absent in the first one." }),
  ),
  deadline: Type.Optional(
    Type.Number({
      description: "The run fails at this time: milliseconds since 1970, by the database's clock.",
    }),
  ),
  bytes: Type.Optional(Type.Number({ description: "Approximate size of input and journal." })),
  journalFollows: Type.Optional(
    Type.Literal(true, {
      description:
        "The journal is omitted because it is too large: read it with /v1/worker/journal-page.",
    }),
  ),
});

export const ReceiveBody = Closed({
  versions: Versions,
  maxRuns: Type.Integer({ minimum: 1, maximum: 10_000, default: 1 }),
  leaseMs: LeaseMs,
  suspects: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1,
      description:
        "How many runs to return that may have crashed earlier workers. Leave it out for a worker that doesn't distinguish them.",
    }),
  ),
  maxBytes: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        "Most bytes of inputs and journals together; one run is returned in any case. Default: 64 MiB, for a worker that doesn't read journals by pages.",
    }),
  ),
});

export const toReceiveRequest = ({
  versions,
  ...request
}: Static<typeof ReceiveBody>): ReceiveRequest => ({ ...request, versions: toVersions(versions) });

export const receiveRuns: Route = route({
  method: "POST",
  path: "/v1/worker/receive",
  scope: "work",
  summary: "Receive runs",
  description:
    "Leases ready runs and returns each with its journal. With waitSeconds, answers as soon as a run is ready.",
  body: Closed({ ...ReceiveBody.properties, waitSeconds: WaitSeconds }),
  response: { 200: Type.Object({ deliveries: Type.Array(Delivery) }) },
  handler: async ({ body: { waitSeconds, ...request } }, { transport }, reply) => {
    const deliveries = await new WorkWait(transport).receive(
      toReceiveRequest(request),
      waitSeconds * 1_000,
      whileClientWaits(reply),
    );
    if (!isThere(reply)) await transport.worker.commit(deliveries.map(toRelease));
    return { deliveries };
  },
});

export const nextVisibleRun: Route = route({
  method: "POST",
  path: "/v1/worker/next-visible",
  scope: "work",
  summary: "Get the time until the next run is ready",
  body: Closed({
    versions: Versions,
    everything: Type.Optional(
      Type.Boolean({
        description:
          "Looks further ahead than two seconds, and returns `at`; `inMs` is then 0 or null.",
      }),
    ),
  }),
  response: {
    200: Type.Object({
      inMs: Nullable(
        Type.Number({
          description: "0 if a run is ready; null if no run will be for two seconds.",
        }),
      ),
      at: Type.Optional(
        Nullable(
          Type.Number({
            description:
              "When the next run is ready, which may have passed: milliseconds since 1970, by the database's clock. Null if all runs wait for signals.",
          }),
        ),
      ),
    }),
  },
  handler: async ({ body }, { transport }) => {
    const versions = toVersions(body.versions);
    if (body.everything === true) {
      const { at, isDue } = await transport.worker.nextVisible(versions);
      return { inMs: isDue ? 0 : null, at };
    }
    const inMs = await transport.worker.nextVisibleIn(versions);
    return { inMs: inMs === null || !Number.isFinite(inMs) ? null : inMs };
  },
});

const toVersions = (versions: Record<string, number[]>): Map<string, number[]> =>
  new Map(Object.entries(versions));

export const readJournalPage: Route = route({
  method: "POST",
  path: "/v1/worker/journal-page",
  scope: "work",
  leaseAccess: (body) => ({ runId: (body as { readonly runId?: unknown }).runId }),
  summary: "Read a page of a journal",
  description: "For runs that were delivered without their journal.",
  body: Closed({ runId: Id, after: Count }),
  response: {
    200: Type.Object({
      journal: Type.Array(Type.Object({}, { additionalProperties: true }), {
        description: "The rows after the first `after` rows, in order; empty at the end.",
      }),
    }),
  },
  handler: async ({ body: { runId, after } }, { transport }) => ({
    journal: (await transport.worker.getJournalPage(runId, after)) as never,
  }),
});
