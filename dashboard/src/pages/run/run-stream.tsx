import { type ReactNode, useState } from "react";
import type { ServerEvent } from "../../api/events.ts";
import { useEvents } from "../../api/use-events.ts";
import { prettyJson } from "../../format/json-text.ts";

interface Chunk {
  readonly position: string;
  readonly step: string | null;
  readonly value: unknown;
}

/** More are dropped from the screen, the oldest first. */
const MOST_CHUNKS = 5_000;

/** What the run streams, as it arrives; followed when it is opened. */
export function RunStream({ runId }: { runId: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="card stream" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Stream</summary>
      {isOpen ? <Chunks runId={runId} /> : null}
    </details>
  );
}

function Chunks({ runId }: { runId: string }): ReactNode {
  const [chunks, setChunks] = useState<readonly Chunk[]>([]);
  const [hasEnded, setEnded] = useState(false);
  useEvents(`./v1/runs/${runId}/stream`, (event) => {
    if (event.name === "end") setEnded(true);
    else setChunks((known) => next(known, event));
  });
  if (chunks.length === 0) {
    return (
      <p className="empty">
        {hasEnded ? "The run has streamed nothing." : "Nothing yet. Chunks appear here live."}
      </p>
    );
  }
  return <pre>{chunks.map(textOf).join("")}</pre>;
}

const textOf = ({ value }: Chunk): string =>
  typeof value === "string" ? value : `${prettyJson(value)}\n`;

function next(known: readonly Chunk[], { name, data }: ServerEvent): readonly Chunk[] {
  if (name === "chunk") return [...known, data as Chunk].slice(-MOST_CHUNKS);
  // A call of the step was interrupted, and is repeated.
  const { step, since } = data as { readonly step: string | null; readonly since: string };
  return known.filter((one) => one.step !== step || BigInt(one.position) < BigInt(since));
}
