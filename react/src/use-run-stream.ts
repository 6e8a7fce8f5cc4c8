"use client";
import type { RunRefusal } from "@oxbow/sdk/browser";
import { useMemo } from "react";
import type { RunAccess } from "./run-access.ts";
import { useWatch } from "./use-watch.ts";

/** The stream of a run so far. */
export interface RunStream<Chunk = unknown> {
  /** Values that the run has written, in order. A repeated call of a step replaces its own. */
  readonly chunks: readonly Chunk[];
  /** Whether the run has ended, so that no chunk follows. */
  readonly hasEnded: boolean;
  /** Whether the page is connected. */
  readonly isLive: boolean;
  /** Why the stream can't be read, such as a token without `stream`. */
  readonly refusal: RunRefusal | null;
}

const BLANK: RunStream<never> = { chunks: [], hasEnded: false, isLive: false, refusal: null };

/**
 * Follows what a run writes with `ctx.stream.write`, over the connection of `useRun`. Its token needs `read` and `stream`.
 *
 * @param runId Without one there is no connection.
 * @throws Error without a url or a token.
 * @example
 * const { chunks } = useRunStream<string>(runId, { url, token });
 * return <p>{chunks.join("")}</p>;
 */
export function useRunStream<Chunk = unknown>(
  runId: string | undefined,
  options: RunAccess = {},
): RunStream<Chunk> {
  // After a lost connection, chunks are continued and replaced in `sdk/src/browser/watch-run.ts`.
  const stream = useWatch("useRunStream", runId, options, true, (watch) => watch.stream);
  const watched = stream?.chunks;
  const chunks = useMemo(() => watched?.map(({ value }) => value as Chunk) ?? [], [watched]);
  return useMemo(() => ({ ...BLANK, ...stream, chunks }), [stream, chunks]);
}
