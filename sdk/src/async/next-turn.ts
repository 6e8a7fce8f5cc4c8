/** Resolves in the event loop's next turn, when all microtasks of this one have drained. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
