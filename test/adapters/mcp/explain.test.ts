/** `explain_run`: a model finds out each cause that the database can name, and what to do about it. */
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { startTestServer } from "../../helpers/server.ts";
import { stageCauses, stageHeld } from "../../helpers/staged-causes.ts";
import { overHttp, overStdio, resultOf } from "./clients.ts";

/** A model reads enough of each cause to repeat it to a person, and to act. */
const EXPECTED = {
  ended: { summary: /cancelled.*by mistake/, remedy: /Retry/ },
  paused: { summary: /the bank is closed/, remedy: /Resume/ },
  pausing: { summary: /worker/i, remedy: /./ },
  executing: { summary: /Worker "host:7" is executing call 2 of step "charge"/, remedy: /./ },
  suspect: { summary: /./, remedy: /./ },
  no_worker: { summary: /No worker has ever served workflow "unserved"/, remedy: /Start a worker/ },
  ready: { summary: /./, remedy: /worker/i },
  delayed: { summary: /./, remedy: /./ },
  key_limit: { summary: /Key "acme" of workflow "keyed" is at its limit: 2 of 2/, remedy: /./ },
  key_rate: { summary: /acme/, remedy: /./ },
  concurrency_limit: { summary: /Workflow "narrow" is at its limit: 1 of 1/, remedy: /./ },
  rate_limit: { summary: /rated/, remedy: /./ },
  step_retry: { summary: /"approve" failed 3 times.*CardDeclined: no funds/, remedy: /./ },
  run_retry: { summary: /retry 2/, remedy: /./ },
  approval: { summary: /approv/i, remedy: /./ },
  event: { summary: /waits for event "approved".*\{"order": 7\}/, remedy: /Signal the run/ },
  child: { summary: /waits for the end of run \d+ of workflow "child"/, remedy: /./ },
  sleep: { summary: /sleeps/, remedy: /./ },
} satisfies Record<keyof Awaited<ReturnType<typeof stageCauses>>, object>;

const database = await createDatabase();
const causes = await stageCauses(database);
const [stdio, http] = await Promise.all([
  overStdio(["--url", database.url]),
  overHttp(await startTestServer(database, { mcp: true })),
]);
const clients = { stdio, http };

describe("explain_run", () => {
  it.each(Object.entries(EXPECTED))("names the cause %s", async (cause, { summary, remedy }) => {
    const runId = causes[cause as keyof typeof causes];
    const explained = await resultOf(clients.stdio, "explain_run", { runId });
    expect(explained).toMatchObject({
      runId,
      cause,
      summary: expect.stringMatching(summary),
      remedy: expect.stringMatching(remedy),
    });
    expect(await resultOf(clients.http, "explain_run", { runId })).toEqual(explained);
  });

  it("names the cause held, in a copy", async () => {
    const { database: copy, runId } = await stageHeld();
    const client = await overStdio(["--url", copy.url]);
    expect(await resultOf(client, "explain_run", { runId })).toMatchObject({
      cause: "held",
      remedy: expect.stringContaining("oxbow fork release"),
    });
  });

  it("marks the facts of a cause as data, which signal_run takes", async () => {
    expect(await resultOf(clients.stdio, "explain_run", { runId: causes.event })).toMatchObject({
      until: "2099-01-01T00:00:00.000Z",
      details: { data: { step: "approve", event: "approved", match: { order: 7 } } },
    });
  });
});
