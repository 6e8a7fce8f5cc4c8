import type { Room } from "../protocol/rooms.ts";

/** The rooms of packages that a transport has opened: each once. */
export class OpenedRooms {
  readonly #open: (room: Room<unknown>) => unknown;
  readonly #opened = new Map<Room<unknown>, unknown>();

  constructor(open: (room: Room<unknown>) => unknown) {
    this.#open = open;
  }

  get<Calls>(room: Room<Calls>): Calls {
    if (!this.#opened.has(room)) this.#opened.set(room, this.#open(room));
    return this.#opened.get(room) as Calls;
  }
}
