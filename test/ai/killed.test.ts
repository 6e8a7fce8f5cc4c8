/** Agents whose workers are killed: what is journaled is called no more, and readers end with one answer. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { eventually, including } from "../helpers/eventually.ts";
import { endLeases } from "../helpers/runs.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";
import { setupWorkflows } from "../helpers/workflows.ts";
import { messageOf, readAll, RestlessReader } from "./reader.ts";
import { type Call, traveller } from "./traveller.ts";

const folder = mkdtempSync(join(tmpdir(), "oxbow-ai-"));

const bench = await setupWorkflows();
await bench.database.query("create table public.booking (run text, city text)");

const messages: UIMessage[] = [{ id: "q", role: "user", parts: [{ type: "text", text: "Oslo?" }] }];

interface Trial {
  readonly name: string;
  readonly file: string;
  readonly runId: string;
  readonly reader: RestlessReader;
  readonly reading: Promise<void>;
  readonly killed: WorkerProcess;
}

async function startTrial(last: Call): Promise<Trial> {
  const name = last.replace(" ", "-");
  const file = join(folder, name);
  const { runId } = await bench.client.start(name, { messages });
  const reader = new RestlessReader();
  const reading = reader.follow(bench.client, runId);
  return { name, file, runId, reader, reading, killed: startWorker(name, file, "A", last) };
}

const startWorker = (...args: readonly string[]): WorkerProcess =>
  startWorkerProcess(new URL("programs/traveller-worker.ts", import.meta.url), {
    args: [JSON.stringify(bench.connection), ...args],
  });

/** Another worker finishes the run. Returns which calls began twice. */
async function finish({ name, file, runId, reader, reading }: Trial): Promise<string[]> {
  // As time would: what the killed worker had is delivered to the other.
  await endLeases(bench.database, name);
  const survivor = startWorker(name, file, "B", "");
  const run = await bench.client.runs.handle(
    traveller(name, "", () => null),
    runId,
  );
  const answer = await run.result({ timeout: "120s" });
  await reading;
  await survivor.kill();

  expect(answer.parts.at(-1)).toMatchObject({ type: "text", text: "B0 B1 B2 B3 B4 B5 " });
  expect(await bench.client.runs.steps(runId)).toHaveLength(4);
  const bookings = await bench.database.query("select from public.booking where run = $1", [name]);
  expect(bookings).toHaveLength(1);
  const late = await readAll(bench.client, runId);
  expect(reader.chunks).toEqual(late);
  expect(await messageOf(late)).toEqual(answer);
  const begun = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.endsWith("begins"));
  return begun.filter((line, n) => begun.indexOf(line) !== n);
}

describe("an agent whose worker is killed", () => {
  it.each(["ask", "weather", "book", "answer"] as const)(
    "repeats only the call %s, which wasn't journaled",
    async (call) => {
      for (const last of [`${call} begins`, `${call} returns`] as const) {
        const trial = await startTrial(last);
        expect(await trial.killed.end()).toEqual({ code: null, signal: "SIGKILL" });
        const repeated = await finish(trial);
        expect(repeated).toContain(`${call} begins`);
        // The other tool may have been under way at the same time.
        const isTool = call === "weather" || call === "book";
        const mayRepeat = isTool ? ["weather begins", "book begins"] : [`${call} begins`];
        expect(mayRepeat).toEqual(expect.arrayContaining(repeated));
      }
    },
  );

  it("leaves a reader that reconnects after each chunk with exactly the journaled answer", async () => {
    const trial = await startTrial("answer halfway");
    const said = await eventually(() => JSON.stringify(trial.reader.chunks), including("A2 "));
    expect(said).not.toContain("A3");
    await trial.killed.kill();
    expect(await finish(trial)).toEqual(["answer begins"]);
    expect(trial.reader.resets).toBe(1);
  });
});

it("breaks no invariant", async () => {
  expect(await bench.violations()).toEqual([]);
});
