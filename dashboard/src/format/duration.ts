const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** As "3d 4h", "1m 4s", "1.2s", "40ms". */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < 60_000) return `${Math.round(ms / 100) / 10}s`;
  const index = UNITS.findIndex(([, size]) => ms >= size);
  const [unit, size] = UNITS[index] ?? UNITS[3];
  const [nextUnit, nextSize] = UNITS[index + 1] ?? UNITS[3];
  const rest = Math.floor((ms % size) / nextSize);
  return `${Math.floor(ms / size)}${unit}${rest === 0 ? "" : ` ${rest}${nextUnit}`}`;
}

/** How long a run, or anything with a start and an end, has taken; until now if it has not ended. */
export const took = (startedAt: string, completedAt: string | null, now = Date.now()): number =>
  (completedAt === null ? now : Date.parse(completedAt)) - Date.parse(startedAt);
