import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { addEndpoint, endpointsQuery } from "../../api/endpoints.ts";
import { InputField } from "../../parts/field.tsx";
import { FormButton, textOf } from "../../parts/form-dialog.tsx";
import { note } from "../../shell/notes.tsx";

export function AddEndpoint(): ReactNode {
  const queries = useQueryClient();
  return (
    <FormButton
      button="Add an endpoint"
      look="primary"
      title="Add an endpoint"
      action="Add"
      onSubmit={async (fields) => {
        const { endpointId } = await addEndpoint(
          textOf(fields, "url") ?? "",
          Number(textOf(fields, "concurrency")),
        );
        note(`Endpoint ${endpointId} was added. A server asks it what it serves.`);
        await queries.invalidateQueries({ queryKey: endpointsQuery.queryKey });
      }}
    >
      <InputField
        label="Url"
        hint="The function that executes runs. A known url is resumed, checked, and becomes the newest."
        name="url"
        type="url"
        placeholder="https://shop.example.com/api/oxbow"
        autoComplete="off"
        required
      />
      <InputField
        label="Concurrency"
        hint="How many runs one server pushes to it at a time."
        name="concurrency"
        type="number"
        min={1}
        max={1000}
        defaultValue={20}
        required
      />
    </FormButton>
  );
}
