/** Readers of streams: each reconnects at every chunk, and reports what it has in the end. */
import { setTimeout as pause } from "node:timers/promises";
import { createWorkflowClient } from "@oxbow/sdk";
import type { Scene } from "../fault.ts";
import { eventually } from "../../helpers/eventually.ts";
import { AuditLog } from "./log.ts";

/** Reads the streams of the trial's runs while something happens, until they have ended. */
export async function startReader(
  scene: Scene,
  count: number,
  happens: () => Promise<void>,
): Promise<void> {
  const { world, trial } = scene;
  const log = await AuditLog.open(world.auditor.port);
  const client = createWorkflowClient({ url: world.urls.direct });
  try {
    const rows = await eventually(
      () =>
        world.query(
          `select run_id::text as run from queue.workflow_run
           where workflow_name = 'stream' and input ->> 'trial' = $1`,
          [trial],
        ),
      { length: count },
    );
    const read = async (run: string): Promise<void> => {
      let chunks: unknown[] = [];
      let from: string | undefined;
      for (let isOver = false; !isOver;) {
        isOver = true;
        try {
          for await (const chunk of client.runs.stream(run, from === undefined ? {} : { from })) {
            // Earlier chunks are void: the callback is called again.
            if (chunk.reset) chunks = [];
            else chunks.push(chunk.value);
            from = chunk.position;
            isOver = false;
            // Reconnects after every chunk.
            break;
          }
        } catch {
          isOver = false;
          await pause(100);
        }
      }
      await log.note({ kind: "streamed", trial, run, chunks });
    };
    await Promise.all([happens(), ...rows.map(({ run }) => read(String(run)))]);
  } finally {
    await client.close();
    log.close();
  }
}
