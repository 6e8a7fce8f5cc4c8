/** The fields of an object, in groups and in the order of its schema. */
import type { Json, JsonObject } from "@oxbow/declared/check";
import { Fragment, type ReactNode } from "react";
import { grouped } from "../data/grouped.ts";
import { pointerTo, valueAt } from "../document/places.ts";
import { useEditor, useStore } from "../state/use-editor.ts";
import { useNestedField } from "./nested-field.ts";
import { isShown, type Property, propertiesOf, textOf, titleFor } from "./schema-facts.ts";

export function SchemaFields({
  pointer,
  facts,
}: {
  readonly pointer: string;
  readonly facts: JsonObject;
}): ReactNode {
  const { catalog } = useStore();
  const NestedField = useNestedField();
  const value = useEditor(({ drawing }) => valueAt(drawing.document, pointer));
  const known = propertiesOf(facts) ?? [];
  const properties = [...known, ...unknownMembers(value, known)];
  const groups = grouped(
    properties.flatMap((property): [string, Property][] => {
      const own = catalog.resolve(property.schema);
      return isShown(own, value) ? [[textOf(own, "group") ?? "", property]] : [];
    }),
  );
  return [...groups].map(([group, members]) => {
    const fields = members.map(({ name, schema, isRequired }) => (
      <NestedField
        key={name}
        pointer={pointerTo(pointer, name)}
        schema={schema}
        label={titleFor(name, catalog.resolve(schema))}
        isRequired={isRequired}
      />
    ));
    return group === "" ? (
      <Fragment key={group}>{fields}</Fragment>
    ) : (
      <details key={group} className="oxe-group">
        <summary>{group}</summary>
        {fields}
      </details>
    );
  });
}

/** Members that the schema doesn't name: they are shown, so that they can be removed. */
function unknownMembers(value: Json | undefined, known: readonly Property[]): readonly Property[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const names = new Set(known.map(({ name }) => name));
  return Object.keys(value)
    .filter((name) => !names.has(name))
    .map((name) => ({ name, schema: {}, isRequired: false }));
}
