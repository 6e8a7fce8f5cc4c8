import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { note } from "../shell/notes.tsx";

/** Notes what was done, and reads again what that has changed. */
export function useReport(queryKey: QueryKey): (text: string) => Promise<void> {
  const queries = useQueryClient();
  return async (text) => {
    note(text);
    await queries.invalidateQueries({ queryKey });
  };
}
