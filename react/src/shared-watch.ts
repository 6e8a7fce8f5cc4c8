/**
 * The connections of a page to the runs that it shows. They belong to the page rather than to a tree of components, since a
 * browser has six to a server at a time.
 *
 * Promises:
 *   W1  All hooks that follow the same run of the same server share one connection. It reads the stream of the run once one
 *       of them wants it, and continues without if the token of that one doesn't allow it.
 *   W2  It closes a second after the last hook has left, so that neither the second mount in StrictMode nor a change of the
 *       page makes another one.
 *   W3  A token is that of the hook which came last, and the newest that this one has. A hook that comes, or a new string,
 *       after a refusal connects again.
 *   W4  What is known of a run is shown until another connection knows as much.
 *   W5  A hook is rendered again only for changes of what it returns.
 */
import { type RunRefusal, type WatchedChunk, type WatchedRun, watchRun } from "@oxbow/sdk/browser";

/** A hook that follows a run. */
export interface Follower {
  readonly wantsChunks: boolean;
  readonly onChange: () => void;
  readonly token: () => string | Promise<string>;
}

/** A run without its stream. */
export type SharedRun = Omit<WatchedRun, "chunks">;

/** The stream of a run. */
export interface SharedStream {
  readonly chunks: readonly WatchedChunk[];
  readonly hasEnded: boolean;
  readonly isLive: boolean;
  readonly refusal: RunRefusal | null;
}

const LINGER_MS = 1_000;
const FORBIDDEN = 403;

const watches = new Map<string, SharedWatch>();

const keyOf = (url: string, runId: string): string => `${url.replace(/\/$/, "")} ${runId}`;

/** The facts known of a run that a hook of the page follows. */
export const watchOf = (url: string, runId: string): SharedWatch | undefined =>
  watches.get(keyOf(url, runId));

/** Follows a run. Returns a function that ends it. */
export function follow(url: string, runId: string, follower: Follower): () => void {
  const key = keyOf(url, runId);
  let watch = watches.get(key);
  if (watch === undefined) {
    watch = new SharedWatch(url, runId, () => void watches.delete(key));
    watches.set(key, watch);
  }
  return watch.follow(follower);
}

export class SharedWatch {
  /** Undefined until there was a connection. */
  run: SharedRun | undefined;
  /** Undefined until there was a connection that reads it. */
  stream: SharedStream | undefined;
  readonly #url: string;
  readonly #runId: string;
  readonly #onClose: () => void;
  readonly #followers = new Set<Follower>();
  #stop: (() => void) | undefined;
  #readsChunks = false;
  /** Chunks of the connection before, until this one knows as much. */
  #knownChunks: readonly WatchedChunk[] | undefined;
  #isRefused = false;
  #streamRefusal: RunRefusal | null = null;
  #closing: ReturnType<typeof setTimeout> | undefined;

  constructor(url: string, runId: string, onClose: () => void) {
    this.#url = url;
    this.#runId = runId;
    this.#onClose = onClose;
  }

  follow(follower: Follower): () => void {
    clearTimeout(this.#closing);
    this.#followers.add(follower);
    this.renew(follower.wantsChunks);
    return () => {
      this.#followers.delete(follower);
      if (this.#followers.size > 0) return;
      this.#closing = setTimeout(() => {
        this.#stop?.();
        this.#onClose();
      }, LINGER_MS);
    };
  }

  /** A hook has come, or has a new token: connects unless there is a connection that reads enough and was not refused. */
  renew(wantsChunks: boolean): void {
    if (wantsChunks) this.#streamRefusal = null;
    // The hooks of a page come together: one connection reads what all of them want.
    queueMicrotask(() => this.#reconnect());
  }

  #reconnect(): void {
    if (this.#followers.size === 0) return;
    const wantsChunks = [...this.#followers].some((follower) => follower.wantsChunks);
    const readsChunks = this.#streamRefusal === null && (this.#readsChunks || wantsChunks);
    const isConnected = this.#stop !== undefined && !this.#isRefused;
    if (!isConnected || readsChunks !== this.#readsChunks) this.#connect(readsChunks);
  }

  #connect(readsChunks: boolean): void {
    this.#stop?.();
    this.#readsChunks = readsChunks;
    this.#knownChunks = this.stream?.chunks;
    this.#isRefused = false;
    const options = { url: this.#url, token: () => this.#token(), chunks: readsChunks };
    this.#stop = watchRun(this.#runId, options, (run) => this.#take(run));
  }

  /** The token of the hook that came last; for a stream, of the last that wants it. */
  #token(): string | Promise<string> {
    const all = [...this.#followers];
    const wanting = all.filter(({ wantsChunks }) => wantsChunks);
    const follower = (this.#readsChunks ? wanting.at(-1) : undefined) ?? all.at(-1);
    // Nothing follows it for a moment.
    return follower?.token() ?? new Promise(() => {});
  }

  #take(run: WatchedRun): void {
    const { isLive, refusal } = run;
    this.#isRefused = refusal !== null;
    if (this.#readsChunks && refusal?.status === FORBIDDEN) {
      this.#streamRefusal = refusal;
      this.#setStream({ chunks: [], hasEnded: false, isLive, refusal });
      this.#connect(false);
      this.#tell();
      return;
    }
    const isBehind = run.status === undefined && this.run?.status !== undefined;
    const { chunks, ...known } = run;
    this.#setRun(isBehind && this.run !== undefined ? { ...this.run, isLive, refusal } : known);
    if (this.#readsChunks) {
      const hasEnded = run.status !== undefined && run.status !== "running";
      if (hasEnded || lastOf(chunks) >= lastOf(this.#knownChunks)) this.#knownChunks = undefined;
      this.#setStream({ chunks: this.#knownChunks ?? chunks, hasEnded, isLive, refusal });
    }
    this.#tell();
  }

  #setRun(run: SharedRun): void {
    if (!isSame(run, this.run)) this.run = run;
  }

  #setStream(stream: SharedStream): void {
    if (!isSame(stream, this.stream)) this.stream = stream;
  }

  #tell(): void {
    for (const { onChange } of this.#followers) onChange();
  }
}

/** Chunks that are taken back are followed by others, of higher positions. */
const lastOf = (chunks?: readonly WatchedChunk[]): bigint => BigInt(chunks?.at(-1)?.position ?? 0);

/** Whether both have the same members. */
function isSame<Value extends object>(value: Value, other: Value | undefined): boolean {
  if (other === undefined) return false;
  const names = Object.keys(value) as (keyof Value)[];
  return (
    names.length === Object.keys(other).length && names.every((name) => value[name] === other[name])
  );
}
