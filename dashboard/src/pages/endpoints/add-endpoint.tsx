import type { ReactNode } from "react";
import { addEndpoint, endpointsQuery } from "../../api/endpoints.ts";
import { InputField } from "../../parts/field.tsx";
import { FormButton, textOf } from "../../parts/form-dialog.tsx";
import { useReport } from "../../parts/use-report.ts";

export function AddEndpoint(): ReactNode {
  const report = useReport(endpointsQuery.queryKey);
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
        await report(`Endpoint ${endpointId} was added. A server asks it what it serves.`);
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
