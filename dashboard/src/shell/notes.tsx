/** Short notes about what has happened, which screen readers announce. */
import { type ReactNode, useSyncExternalStore } from "react";
import { Listeners } from "../api/listeners.ts";
import { messageOf } from "../api/problem.ts";

interface Note {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 6_000;
const changes = new Listeners();
let notes: readonly Note[] = [];
let latest = 0;

export function note(text: string): void {
  latest += 1;
  const id = latest;
  change([...notes, { id, text }]);
  setTimeout(() => change(notes.filter((one) => one.id !== id)), SHOWN_MS);
}

/** Does something, or notes why it can't be done. @param what Such as `pause run 7`. */
export const attempt = (what: string, work: () => Promise<void>): Promise<void> =>
  work().catch((error: unknown) => note(`Can't ${what}: ${messageOf(error)}`));

function change(to: readonly Note[]): void {
  notes = to;
  changes.notify();
}

export function Notes(): ReactNode {
  const shown = useSyncExternalStore(changes.subscribe, () => notes);
  return (
    <div className="notes" role="status" aria-live="polite">
      {shown.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
