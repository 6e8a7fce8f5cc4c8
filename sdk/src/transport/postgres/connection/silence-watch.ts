/**
 * Finds connections that have fallen silent: the machine at the other end, or a firewall between, is gone or forgot
 * them, and sent no word of it.
 *
 * Owns the list of answers that are waited for. Promises:
 *   S1  A connection that owes an answer and has moved no byte for a while is suspect. Then the database is asked, over a
 *       new connection, what the session is doing.
 *   S2  A session that is at work is left alone, however long it takes. One that isn't, twice in a row and without any
 *       change, has answered already or never got the request: its connection is cut, and the statement fails as lost.
 *   S3  Such a session is ended in the database too, so that the locks of its transaction are free.
 *   S4  Nothing is concluded while the database can't be asked.
 *   S5  With several servers, a session at the new primary is not taken for one of the former, though it has its process
 *       id. With one server, whose name may lead to another one after a failover, its id is all that is known.
 */
import { nextTurn } from "../../../async/next-turn.ts";
import { within } from "../../../async/within.ts";
import type { Call } from "../../../protocol/rooms.ts";
import { sessionsAtWork, terminateSessions } from "./calls.ts";
import type { Servers } from "./servers.ts";
import { type Stream, cut, cutConnection, streamOf } from "./sockets.ts";
import type pg from "pg";

const LOOK_EVERY_MS = 250;
const SUSPECT_AFTER_MS = 3_000;
const LOOK_AGAIN_MS = 1_000;
const LAST_PAUSE_MS = 30_000;
const ANSWER_WITHIN_MS = 5_000;

export interface SilenceWatchOptions {
  /** Where to connect, to ask. */
  readonly servers: Servers;
  readonly applicationName: string;
  /** Called when connections were found silent: others may be, too. */
  readonly onFound: () => void;
}

/** An answer that is waited for. */
interface Owed {
  readonly processId: number;
  /** When the session began, where that is known. */
  readonly start: string | undefined;
  readonly stream: Stream;
  moved: number;
  lookAt: number;
  pauseMs: number;
  /** The state of the session when it was found idle. */
  rest: string | undefined;
}

interface SessionRow {
  readonly process_id: number;
  readonly is_at_work: boolean;
  readonly since: string;
}

export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  readonly #owed = new Set<Owed>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
  }

  /** A statement was sent. The returned function is called when it is answered, or has failed. */
  expect(client: pg.ClientBase, processId: number | undefined): () => void {
    const stream = streamOf(client);
    if (processId === undefined || stream === undefined) return () => {};
    const owed: Owed = {
      processId,
      start: this.#options.servers.sessionStartOf(client),
      stream,
      moved: -1,
      lookAt: performance.now() + SUSPECT_AFTER_MS,
      pauseMs: SUSPECT_AFTER_MS,
      rest: undefined,
    };
    this.#owed.add(owed);
    this.#timer ??= setInterval(() => this.#tick(), LOOK_EVERY_MS).unref();
    return () => void this.#owed.delete(owed);
  }

  close(): void {
    this.#owed.clear();
    this.#stopTimer();
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    if (this.#owed.size === 0) this.#stopTimer();
    const now = performance.now();
    const suspects: Owed[] = [];
    for (const owed of this.#owed) {
      if (now < owed.lookAt) continue;
      if (this.#hasMoved(owed)) owed.lookAt = now + SUSPECT_AFTER_MS;
      else suspects.push(owed);
    }
    if (suspects.length > 0 && !this.#isLooking) void this.#look(suspects);
  }

  #hasMoved(owed: Owed): boolean {
    const { bytesRead = 0, bytesWritten = 0, writableLength } = owed.stream;
    const moved = bytesRead + bytesWritten - writableLength;
    const hasMoved = owed.moved !== -1 && moved !== owed.moved;
    owed.moved = moved;
    if (hasMoved) owed.rest = undefined;
    return hasMoved;
  }

  async #look(suspects: readonly Owed[]): Promise<void> {
    this.#isLooking = true;
    let client: pg.Client | undefined;
    try {
      client = await this.#connect();
      const rows = await ask(client, sessionsAtWork, idsOf(suspects), startsOf(suspects));
      const silent = this.#judge(suspects, rows);
      if (silent.length === 0) return;
      await ask(
        client,
        terminateSessions,
        idsOf(silent),
        startsOf(silent),
        silent.map(({ rest }) => rest),
      );
      // First, so that statements that are repeated get a new connection.
      this.#options.onFound();
      await nextTurn();
      for (const { stream } of silent) cut(stream);
    } catch {
      // The next look tries again.
    } finally {
      this.#isLooking = false;
      if (client !== undefined) await end(client);
    }
  }

  #connect(): Promise<pg.Client> {
    const { servers, applicationName } = this.#options;
    return servers.connect({
      application_name: applicationName,
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
    });
  }

  #judge(suspects: readonly Owed[], rows: readonly SessionRow[]): Owed[] {
    const now = performance.now();
    const sessions = new Map(rows.map((row) => [row.process_id, row]));
    return suspects.filter((owed) => {
      if (!this.#owed.has(owed) || this.#hasMoved(owed)) return false;
      const session = sessions.get(owed.processId);
      if (session?.is_at_work === true) {
        owed.rest = undefined;
        owed.pauseMs = Math.min(LAST_PAUSE_MS, owed.pauseMs * 2);
        owed.lookAt = now + owed.pauseMs;
        return false;
      }
      const rest = session?.since ?? "gone";
      if (owed.rest === rest) return true;
      owed.rest = rest;
      owed.lookAt = now + LOOK_AGAIN_MS;
      return false;
    });
  }
}

async function end(client: pg.Client): Promise<void> {
  const ended = client.end().catch(() => {});
  if (!(await within(ANSWER_WITHIN_MS, ended))) cutConnection(client);
}

const idsOf = (owed: readonly Owed[]): number[] => owed.map(({ processId }) => processId);
const startsOf = (owed: readonly Owed[]): (string | null)[] =>
  owed.map(({ start }) => start ?? null);

async function ask(
  client: pg.Client,
  { text }: Call,
  ...values: readonly unknown[]
): Promise<SessionRow[]> {
  const { rows } = await client.query<SessionRow>(text, [...values]);
  return rows;
}
