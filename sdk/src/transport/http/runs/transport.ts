/** Runs, through the server. */
import { Batchers } from "../../../async/batchers.ts";
import { sleep } from "../../../async/sleep.ts";
import { ConnectionFailed } from "../../../core/errors.ts";
import { toStorableText } from "../../../core/json.ts";
import type { TimedJournalEntry } from "../../../protocol/journal.ts";
import type {
  RunConditions,
  RunExplanation,
  RunListing,
  RunRecord,
  RunTransport,
  StartedRun,
  StartRequest,
  StreamChunk,
} from "../../../protocol/runs.ts";
import type { ServerRequests } from "../../../protocol/rooms.ts";
import { isLockTimeout } from "../../../protocol/sqlstate.ts";
import { readEvents } from "../event-source.ts";
import { isProblem, orUndefined } from "../problems.ts";
import { askingFor, jsonOf, READ, refuseTx, withQuery } from "../requests.ts";
import { type Shown, toDates } from "../shown.ts";
import {
  type ShownChild,
  type ShownGeneration,
  type ShownListing,
  type ShownRun,
  type ShownStep,
  toChild,
  toGeneration,
  toJournalEntry,
  toListing,
  toRunRecord,
} from "./rows.ts";
import { startBody } from "./start.ts";

const ROOT = "/v1/runs";
/** The longest that one request waits; a longer wait takes several. */
const LONG_POLL_S = 50;
/** Most steps of a journal in one answer. */
const STEPS_A_PAGE = 10_000;
const MAX_STARTS = 500;
const LINES_A_BATCH = 500;
const RETRY_MS = 500;

export function runsOverHttp(server: ServerRequests): RunTransport {
  const askFor = askingFor(server);

  const startBatch: RunTransport["startBatch"] = async (
    workflow,
    requests,
    tx,
    { isPatient = true } = {},
  ) => {
    refuseTx(tx);
    if (requests.length === 0) return [];
    return askFor("runs", `${runsOf(workflow)}/batch${isPatient ? "" : "?independent=true"}`, {
      body: `{"runs":[${requests.map(startBody).join(",")}]}`,
    });
  };

  /** Starts that are under way at the same time share a request. */
  const starts = new Batchers<StartRequest, StartedRun>({
    maxItems: MAX_STARTS,
    maxInFlight: 2,
    isShared: (error) => error instanceof ConnectionFailed,
    keyOf: ({ workflow }) => workflow,
    isLocked: isLockTimeout,
    send: (requests) => startBatch(requests[0].workflow, requests, undefined, { isPatient: false }),
  });

  const start = async (
    request: StartRequest,
    tx: Parameters<RunTransport["start"]>[1],
  ): Promise<StartedRun> => {
    refuseTx(tx);
    return starts.submit(request);
  };

  const signal: RunTransport["signal"] = (runId, { event, payload, deduplicationId }, tx) =>
    askFor(
      "outcome",
      withQuery(`${pathOf(runId)}/signals/${encodeURIComponent(event)}`, { deduplicationId }),
      {
        ...(payload === undefined ? {} : { body: payload }),
        // The same deduplication id again does nothing.
        isRead: deduplicationId !== undefined,
      },
      tx,
    );

  const find = async (path: string, ending?: AbortSignal): Promise<RunRecord | undefined> => {
    const options = { ...READ, repeatable: ending !== undefined, signal: ending };
    const shown = await orUndefined(server.ask<ShownRun>(path, options), "RUN_NOT_FOUND");
    return shown && toRunRecord(shown);
  };

  /** Undefined if the run doesn't exist. */
  const findPart = <Part>(member: string, path: string): Promise<Part | undefined> =>
    orUndefined(askFor<Part>(member, path), "RUN_NOT_FOUND");

  const get = (runId: string): Promise<RunRecord | undefined> => find(pathOf(runId));

  const workflowOf = async (runId: string): Promise<string | undefined> => (await get(runId))?.name;

  return {
    start,

    startElsewhere: (request, _route, tx) => start(request, tx),

    startBatch,

    signal,

    signalOf: async (workflow, runId, request) => {
      const name = await workflowOf(runId);
      return name === undefined || name !== (workflow ?? name)
        ? undefined
        : { workflow: name, outcome: await signal(runId, request) };
    },

    signalWithStart: async (request, { event, payload, deduplicationId }, tx) => {
      refuseTx(tx);
      return server.ask(`${runsOf(request.workflow)}/signal-with-start`, {
        body: jsonOf({ event, deduplicationId }, { run: startBody(request), payload }),
      });
    },

    pause: (runId, reason, tx) =>
      askFor("changed", withQuery(`${pathOf(runId)}/pause`, { reason }), {}, tx),

    resume: (runId, tx) => askFor("changed", `${pathOf(runId)}/resume`, {}, tx),

    retry: (runId, tx) => askFor("changed", `${pathOf(runId)}/retry`, {}, tx),

    delete: (runId, tx) => askFor("changed", `${pathOf(runId)}/delete`, {}, tx),

    update: (runId, { tags, retentionDays }, tx) => {
      const body = jsonOf({ retentionDays }, { tags });
      return askFor("changed", pathOf(runId), { method: "PATCH", body }, tx);
    },

    rerun: (runId, { fromStep, input, version }, tx) => {
      const body = jsonOf({ fromStep, version }, { input });
      return askFor("runId", `${pathOf(runId)}/rerun`, { body }, tx);
    },

    cancel: (runId, { reason, rollback }, tx) => {
      const path = withQuery(pathOf(runId), { reason, rollback });
      return askFor("cancelled", path, { method: "DELETE" }, tx);
    },

    get,

    workflowOf,

    getJournal: async (runId, after = 0, maxSteps = Infinity) => {
      const entries: TimedJournalEntry[] = [];
      for (let next: number | null = after; next !== null && entries.length < maxSteps;) {
        const limit = Math.min(STEPS_A_PAGE, maxSteps - entries.length);
        const page: { steps: ShownStep[]; after: number | null } | undefined = await orUndefined(
          server.ask(`${pathOf(runId)}/steps?after=${next}&limit=${limit}`, READ),
          "RUN_NOT_FOUND",
        );
        if (page === undefined) break;
        entries.push(...page.steps.map(toJournalEntry));
        next = page.after;
      }
      return entries;
    },

    readStream: (runId, after, ending) => Promise.resolve(chunksOf(server, runId, after, ending)),

    explain: async (runId) => {
      const found = await orUndefined(
        server.ask<Shown<RunExplanation>>(`${pathOf(runId)}/explain`, READ),
        "RUN_NOT_FOUND",
      );
      return found && toDates<RunExplanation>(found, ["since", "until"]);
    },

    getState: (runId) => findPart("state", `${pathOf(runId)}/state`),

    issueToken: ({ runId, ttlMs, allow, name }) =>
      askFor("token", `${pathOf(runId)}/token`, {
        body: jsonOf({ ttl: ttlMs / 1_000, allow, name }),
        isRead: true,
      }),

    awaitEnd: async (runId, ending) => {
      for (;;) {
        ending.throwIfAborted();
        const run = await find(`${pathOf(runId)}?wait=${LONG_POLL_S}`, ending);
        if (run?.status !== "running") return run;
      }
    },

    list: async (conditions, page) => {
      const { runs, cursor } = await server.ask<{
        runs: ShownListing[];
        cursor?: string | null;
      }>(`${ROOT}/search`, { body: bodyFor(conditions, { ...page }), isRead: true });
      // An older server doesn't give the cursor.
      const last = runs.length === page.maxRuns ? runs.at(-1)?.cursor : null;
      return { runs: runs.map(toListing), before: (cursor === undefined ? last : cursor) ?? null };
    },

    listChildren: async (runId, after, limit, step) => {
      const path = withQuery(`${pathOf(runId)}/children`, { limit, after, step });
      return ((await findPart<ShownChild[]>("children", path)) ?? []).map(toChild);
    },

    listGenerations: async (runId) => {
      const path = `${pathOf(runId)}/generations`;
      return ((await findPart<ShownGeneration[]>("generations", path)) ?? []).map(toGeneration);
    },

    count: async (conditions, atMost) =>
      askFor("count", `${ROOT}/count`, { body: bodyFor(conditions, { atMost }), isRead: true }),

    sum: async (key, conditions, byTag) =>
      askFor("groups", `${ROOT}/sum`, { body: bodyFor(conditions, { key, byTag }), isRead: true }),

    export: async (conditions) =>
      listingsIn(await server.stream(`${ROOT}/export`, { body: bodyFor(conditions, {}) })),

    change: async (change, conditions, request) =>
      server.ask(`${ROOT}/change`, { body: bodyFor(conditions, { change, ...request }) }),

    sweep: (maxRuns, maxRetentionDays) =>
      askFor("swept", `${ROOT}/sweep`, { body: JSON.stringify({ maxRuns, maxRetentionDays }) }),
  };
}

async function* chunksOf(
  server: ServerRequests,
  runId: string,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<StreamChunk[], void> {
  let last = after;
  for (;;) {
    signal.throwIfAborted();
    try {
      const path = `${pathOf(runId)}/stream?after=${last}`;
      const pieces = await server.stream(path, { ...READ, signal });
      for await (const { event, data } of readEvents(pieces)) {
        if (event === "end") return;
        const chunk = data as StreamChunk;
        last = chunk.position;
        yield [{ ...chunk, writtenAt: new Date(chunk.writtenAt) }];
      }
    } catch (error) {
      signal.throwIfAborted();
      if (isProblem(error, "RUN_NOT_FOUND")) return;
      if (server.closing.aborted) throw error;
    }
    await sleep(RETRY_MS, signal);
  }
}

const pathOf = (runId: string): string => `${ROOT}/${runId}`;

const runsOf = (workflow: string): string => `/v1/workflows/${encodeURIComponent(workflow)}/runs`;

/** @throws SerializationError */
const bodyFor = (conditions: RunConditions, values: Readonly<Record<string, unknown>>): string =>
  jsonOf(values, { conditions: toStorableText(conditions, "a filter of runs") });

async function* listingsIn(pieces: AsyncIterable<string>): AsyncGenerator<RunListing[], void> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    // A line may have millions of characters, in many pieces.
    if (!piece.includes("\n")) continue;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (let n = 0; n < lines.length; n += LINES_A_BATCH) {
      yield lines
        .slice(n, n + LINES_A_BATCH)
        .map((line) => toListing(JSON.parse(line) as ShownListing));
    }
  }
}
