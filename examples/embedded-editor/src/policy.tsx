/**
 * A policy of the product, whose condition its customers write. A product sends the text to its own server, which checks
 * it by `compileCondition`, and saves it with its references.
 */
import type { JsonSchema } from "@oxbow/declared/check";
import { ConditionField, type ResourceTypeDescriptor } from "@oxbow/editor";
import { type ReactNode, useEffect, useState } from "react";
import { catalog } from "./catalog.ts";

const KEY = "acme-paging-policy";
const FIRST = "incident.severity.rank >= 3 && incident.fields.service == 'production'";

const scope: Readonly<Record<string, JsonSchema>> = { incident: { $ref: "resource:Incident" } };

/** A product asks its server. */
const readTypes = (): Promise<readonly ResourceTypeDescriptor[]> =>
  Promise.resolve(catalog.resourceTypes ?? []);

const NO_TYPES: readonly ResourceTypeDescriptor[] = [];

/** @param props.mayEdit - Whether the user may change the policy, or only read it. */
export function Policy({ mayEdit }: { readonly mayEdit: boolean }): ReactNode {
  const [resourceTypes, setTypes] = useState(NO_TYPES);
  const [saved, setSaved] = useState(() => localStorage.getItem(KEY) ?? FIRST);
  const [condition, setCondition] = useState(saved);
  const [isValid, setValid] = useState(true);
  useEffect(() => {
    void readTypes().then(setTypes);
  }, []);
  return (
    <form
      className="acme-policy"
      onSubmit={(event) => {
        event.preventDefault();
        localStorage.setItem(KEY, condition);
        setSaved(condition);
      }}
    >
      <h2>Paging policy</h2>
      <ConditionField
        label="Page when"
        hint="For each incident that changes."
        name="condition"
        isRequired={mayEdit}
        isReadOnly={!mayEdit}
        scope={scope}
        resourceTypes={resourceTypes}
        value={condition}
        onChange={setCondition}
        onCheck={({ problems }) => setValid(problems.every(({ severity }) => severity !== "error"))}
      />
      {condition === saved && !isValid ? (
        <p role="status">This policy pages nobody until its condition is corrected.</p>
      ) : null}
      {mayEdit ? (
        <button type="submit" disabled={!isValid || condition === "" || condition === saved}>
          Save
        </button>
      ) : null}
    </form>
  );
}
