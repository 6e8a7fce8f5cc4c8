/** Whether the calendar has the day that a text of ISO 8601 begins with. `Date` takes 30 February for 2 March. */
export function hasRealDay(text: string): boolean {
  const day = /^\d{4}-\d\d-\d\d/.exec(text.trim())?.[0];
  if (day === undefined) return true;
  const time = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
}
