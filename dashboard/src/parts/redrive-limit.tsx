import type { ReactNode } from "react";
import { InputField } from "./field.tsx";

const DEFAULT = 1_000;

/** How many dead letters are sent again at most: the field `most`, from 1 to 100,000. */
export const RedriveLimit = (): ReactNode => (
  <InputField
    label="At most"
    name="most"
    type="number"
    min="1"
    max="100000"
    defaultValue={DEFAULT}
    required
  />
);
