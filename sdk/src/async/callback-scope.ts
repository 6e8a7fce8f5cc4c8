import { AsyncLocalStorage } from "node:async_hooks";

/** The step whose callback is running. */
export interface CallbackScope {
  readonly runId: string;
  readonly step: string;
  readonly attempt: number;
}

const scopes = new AsyncLocalStorage<CallbackScope>();

export const callInScope = <Arguments extends unknown[], Value>(
  scope: CallbackScope,
  callback: (...given: Arguments) => Value,
  ...given: Arguments
): Value => scopes.run(scope, callback, ...given);

/** The callback from which the caller runs, directly or through its promises. */
export const currentScope = (): CallbackScope | undefined => scopes.getStore();
