/** The field of a member of a value, for widgets that fields themselves consist of. */
import type { JsonSchema } from "@oxbow/declared/check";
import { type ComponentType, createContext, useContext } from "react";

export interface BindingFieldProps {
  readonly pointer: string;
  readonly schema: JsonSchema | undefined;
  readonly label: string;
  readonly isRequired?: boolean;
  /** Whether only its members have a switch. */
  readonly isWhole?: boolean;
}

/** The control of a value, for screen readers. */
export interface AriaAttributes {
  readonly "aria-label": string;
  readonly "aria-describedby": string;
  readonly "aria-invalid": boolean;
}

export const NestedFieldContext = createContext<ComponentType<BindingFieldProps>>(() => null);

export const useNestedField = (): ComponentType<BindingFieldProps> =>
  useContext(NestedFieldContext);
