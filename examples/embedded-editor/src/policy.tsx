/**
 * A policy of the product, whose condition its customers write. A product sends the text to its own server, which checks
 * it by `compileCondition`, and saves it with its references.
 */
import type { JsonSchema } from "@oxbow/declared/check";
import { ConditionField } from "@oxbow/editor";
import { type ReactNode, useState } from "react";
import { catalog } from "./catalog.ts";

const KEY = "acme-paging-policy";
const FIRST = "incident.severity.rank >= 3 && incident.fields.service == 'production'";

const scope: Readonly<Record<string, JsonSchema>> = { incident: { $ref: "resource:Incident" } };

export function Policy(): ReactNode {
  const [saved, setSaved] = useState(() => localStorage.getItem(KEY) ?? FIRST);
  const [condition, setCondition] = useState(saved);
  const [isValid, setValid] = useState(true);
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
        scope={scope}
        resourceTypes={catalog.resourceTypes ?? []}
        value={condition}
        onChange={(text, { problems }) => {
          setCondition(text);
          setValid(text !== "" && problems.every(({ severity }) => severity !== "error"));
        }}
      />
      <button type="submit" disabled={!isValid || condition === saved}>
        Save
      </button>
    </form>
  );
}
