/** Calls `work` so many times, with at most so many concurrent calls; resolves with the results. */
export async function inFlight<Result>(
  most: number,
  calls: number,
  work: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const workThrough = async (): Promise<void> => {
    while (next < calls) {
      const index = next;
      next += 1;
      results[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: most }, workThrough));
  return results;
}
