/** What a place can read, for pickers and completion. Computed when it is asked for. */
import {
  type JsonSchema,
  type ReadablePlace,
  type ReadableValue,
  readableValues,
} from "@oxbow/declared/check";
import { useCallback, useMemo } from "react";
import { useStore } from "../state/use-editor.ts";

/** Lists the values that a place can read. The same function as long as they are the same. */
export type ListReadable = () => readonly ReadableValue[];

const NONE: readonly ReadableValue[] = [];

/** Lists those of a place of the document that is open. */
export function useReadableAt(place: ReadablePlace, wanted?: JsonSchema): ListReadable {
  const store = useStore();
  const key = JSON.stringify(place);
  return useCallback(
    () =>
      readableValues(
        store.document,
        store.catalog.forChecks,
        JSON.parse(key) as ReadablePlace,
        wanted,
      ),
    [store, key, wanted],
  );
}

/** @param isOpen - Whether anything shows them. */
export const useReadable = (isOpen: boolean, list: ListReadable): readonly ReadableValue[] =>
  useMemo(() => (isOpen ? list() : NONE), [isOpen, list]);
