import { AsyncLocalStorage } from "node:async_hooks";
import type { CallRef } from "../replay/stream-writes.ts";

/** In which call of a callback code runs, however it got there: what `ctx.stream` is written to tells by whom. */
export const currentCall = new AsyncLocalStorage<CallRef>();
