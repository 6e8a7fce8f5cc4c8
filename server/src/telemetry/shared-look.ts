/** A look at a database that may not answer: whoever looks while one lasts shares it, so that no looks pile up. */
export function sharedLook<Value>(look: () => Promise<Value>): () => Promise<Value> {
  let current: Promise<Value> | undefined;
  return () => {
    current ??= look().finally(() => {
      current = undefined;
    });
    return current;
  };
}
