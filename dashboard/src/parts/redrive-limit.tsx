import type { ReactNode } from "react";
import { Field } from "./field.tsx";

const DEFAULT = 1_000;

/** How many dead letters are sent again at most: the field `most`, from 1 to 100,000. */
export const RedriveLimit = (): ReactNode => (
  <Field label="At most">
    {(attributes) => (
      <input
        {...attributes}
        name="most"
        type="number"
        min="1"
        max="100000"
        defaultValue={DEFAULT}
        required
      />
    )}
  </Field>
);
