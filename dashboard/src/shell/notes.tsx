/** Short notes about what has happened, which screen readers announce. */
import { type ReactNode, useSyncExternalStore } from "react";

interface Note {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 6_000;
const listeners = new Set<() => void>();
let notes: readonly Note[] = [];
let latest = 0;

export function note(text: string): void {
  latest += 1;
  const id = latest;
  change([...notes, { id, text }]);
  setTimeout(() => change(notes.filter((one) => one.id !== id)), SHOWN_MS);
}

function change(to: readonly Note[]): void {
  notes = to;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function Notes(): ReactNode {
  const shown = useSyncExternalStore(subscribe, () => notes);
  return (
    <div className="notes" role="status" aria-live="polite">
      {shown.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
