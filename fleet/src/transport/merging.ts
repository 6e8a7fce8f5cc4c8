/** What the answers of several shards are put together by. */
export const sum = (numbers: readonly (number | null)[]): number =>
  numbers.reduce<number>((all, one) => all + (one ?? 0), 0);

export const byName = (one: Named, other: Named): number => (one.name < other.name ? -1 : 1);

interface Named {
  readonly name: string;
}
