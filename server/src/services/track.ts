/** Keeps work in a set until it has ended, and handles its failure. */
export function track(
  into: Set<Promise<void>>,
  work: Promise<void>,
  onFailure: (error: unknown) => void,
  onEnd: () => void = () => {},
): void {
  const tracked = work.catch(onFailure).finally(() => {
    into.delete(tracked);
    onEnd();
  });
  into.add(tracked);
}
