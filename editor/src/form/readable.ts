/** What a place can read, for pickers and completion. Computed when it is asked for. */
import {
  type JsonSchema,
  type ReadablePlace,
  type ReadableValue,
  readableValues,
} from "@oxbow/declared/check";
import { useMemo } from "react";
import { useStore } from "../state/use-editor.ts";

/** @param isOpen - Whether anything shows them. */
export function useReadable(
  isOpen: boolean,
  place: ReadablePlace,
  wanted?: JsonSchema,
): readonly ReadableValue[] {
  const store = useStore();
  const key = JSON.stringify(place);
  return useMemo(
    () =>
      isOpen
        ? readableValues(
            store.document,
            store.catalog.forChecks,
            JSON.parse(key) as ReadablePlace,
            wanted,
          )
        : [],
    [isOpen, store, key, wanted],
  );
}
