import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { addEndpoint, endpointsQuery } from "../../api/endpoints.ts";
import { InputField } from "../../parts/field.tsx";
import { FormDialog, textOf } from "../../parts/form-dialog.tsx";
import { note } from "../../shell/notes.tsx";

export function AddEndpoint({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const queries = useQueryClient();
  return (
    <FormDialog
      title="Add an endpoint"
      action="Add"
      isOpen={isOpen}
      onClose={onClose}
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
    </FormDialog>
  );
}
