import type { Room } from "../protocol/rooms.ts";

/** The rooms of packages that a transport opens: each once. */
export function openedOnce(
  open: (room: Room<unknown>) => unknown,
): <Calls>(room: Room<Calls>) => Calls {
  const opened = new Map<Room<unknown>, unknown>();
  return <Calls>(room: Room<Calls>) => {
    if (!opened.has(room)) opened.set(room, open(room));
    return opened.get(room) as Calls;
  };
}
