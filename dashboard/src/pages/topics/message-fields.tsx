/** The fields of a message of a topic, and what they hold. */
import type { ReactNode } from "react";
import { parseJson } from "../../format/json-text.ts";
import { InputField } from "../../parts/field.tsx";
import { textOf } from "../../parts/form-dialog.tsx";
import { JsonField } from "../../parts/json-field.tsx";

export const MessageFields = ({ rows }: { readonly rows: number }): ReactNode => (
  <>
    <InputField
      label="Topic"
      hint="Words separated by dots: order.paid."
      name="topic"
      autoComplete="off"
      required
    />
    <JsonField label="Message" name="message" rows={rows} isRequired />
  </>
);

export const messageOf = (
  fields: FormData,
): { readonly topic: string; readonly message: ReturnType<typeof parseJson> } => ({
  topic: textOf(fields, "topic") ?? "",
  message: parseJson(textOf(fields, "message") ?? "null", "The message"),
});
