/** Where the fields of a form stand. */
import type { ReadablePlace } from "@oxbow/declared/check";
import { createContext, useContext } from "react";

export interface FieldContextValue {
  readonly place: ReadablePlace;
  /** Whether a handler reads the values, which can open secrets. */
  readonly allowsSecrets: boolean;
  /** Whether values can be bound; false where only literals are allowed. */
  readonly allowsBindings: boolean;
}

export const FieldContext = createContext<FieldContextValue>({
  place: { kind: "trigger", trigger: "" },
  allowsSecrets: false,
  allowsBindings: false,
});

export const useFieldContext = (): FieldContextValue => useContext(FieldContext);
