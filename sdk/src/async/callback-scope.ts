import { AsyncLocalStorage } from "node:async_hooks";

/** The callback of a step that is being called. */
export interface CallbackScope {
  readonly runId: string;
  readonly step: string;
  readonly attempt: number;
}

const scopes = new AsyncLocalStorage<CallbackScope>();

export const callInScope = <Value>(scope: CallbackScope, callback: () => Value): Value =>
  scopes.run(scope, callback);

/** The callback that the caller is in, wherever in its promises. */
export const currentScope = (): CallbackScope | undefined => scopes.getStore();
