/** The form of the definition itself: titles, input, triggers, settings. */
import type { JsonSchema, Trigger } from "@oxbow/declared/check";
import { type ReactNode, useId, useMemo } from "react";
import { Icon, IconButton } from "../catalog/icon.tsx";
import { pointerTo, valueAt } from "../document/places.ts";
import { FieldProblems, useProblemsAt } from "../problems/field-problems.tsx";
import { useEditor, useStore } from "../state/use-editor.ts";
import { BindingField } from "./binding-field.tsx";
import { FieldContext } from "./field-context.ts";
import { FieldsInput } from "./fields-input.tsx";
import { NumberField } from "./number-field.tsx";
import { setValue } from "./set-value.ts";
import { SourceFields, withEvent } from "./source-fields.tsx";
import { TextField } from "./text-field.tsx";

export function DefinitionForm(): ReactNode {
  const store = useStore();
  const name = useEditor(({ drawing }) => drawing.document.name);
  const input = useEditor(({ drawing }) => drawing.document.input);
  const maxParallel = useEditor(({ drawing }) => drawing.document.settings?.maxParallel);
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const problems = useProblemsAt("");
  const id = useId();
  return (
    <form className="oxe-form" aria-label="Workflow" onSubmit={(event) => event.preventDefault()}>
      <header className="oxe-form-head">
        <div>
          <h2>Workflow</h2>
          <p className="oxe-hint">
            <code>{name}</code>
          </p>
        </div>
      </header>
      <FieldProblems id={`${id}-problems`} problems={problems} />
      <TextField pointer="/title" label="Title" placeholder={name} />
      <TextField pointer="/description" label="Description" isLong />
      <Triggers />
      <section className="oxe-section" data-pointer="/input">
        <h3>Input</h3>
        <p className="oxe-hint">What a run is given. Steps read it as input.</p>
        <fieldset disabled={isReadOnly} className="oxe-control">
          <legend className="oxe-only-read">Input</legend>
          <FieldsInput
            schema={input}
            label="the input"
            onChange={(schema) => setValue(store, "/input", schema)}
          />
        </fieldset>
      </section>
      <details className="oxe-section">
        <summary>Settings</summary>
        <NumberField
          label="Steps at the same time"
          pointer="/settings/maxParallel"
          value={maxParallel}
          placeholder="50"
          onChange={(value) => setValue(store, "/settings/maxParallel", value)}
        />
        <TextField
          pointer="/settings/deadline"
          label="Deadline of a run"
          placeholder="none"
          hint="A duration such as 2h: a run that takes longer fails."
        />
        <TextField
          pointer="/settings/retention"
          label="Keep ended runs"
          placeholder="7d"
          hint="A duration such as 30d."
        />
      </details>
    </form>
  );
}

const GENERAL_TRIGGERS: readonly (readonly [on: string, title: string])[] = [
  ["manual", "Started by hand"],
  ["run.ended", "A run that ended"],
  ["schedule", "A schedule"],
  ["webhook", "A webhook"],
];

/** The choice of a topic, which no event is named as. */
const TOPIC = " topic";

function Triggers(): ReactNode {
  const store = useStore();
  const triggers = useEditor(({ drawing }) => drawing.document.triggers);
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const known = store.catalog.data.triggers ?? [];
  const add = (): void => {
    const taken = new Set(Object.keys(triggers ?? {}));
    let n = 1;
    while (taken.has(`trigger_${n}`)) n += 1;
    setValue(store, `/triggers/trigger_${n}`, { on: known[0]?.on ?? "manual" });
    store.endGesture();
  };
  return (
    <section className="oxe-section" data-pointer="/triggers">
      <h3>Starts when</h3>
      {Object.entries(triggers ?? {}).map(([id, trigger]) => (
        <TriggerFields key={id} id={id} trigger={trigger} />
      ))}
      {Object.keys(triggers ?? {}).length === 0 ? (
        <p className="oxe-hint">Nothing starts it yet, except by hand or by the API.</p>
      ) : null}
      {isReadOnly ? null : (
        <button type="button" className="oxe-add" onClick={add}>
          <Icon name="plus" size={14} /> Add a trigger
        </button>
      )}
    </section>
  );
}

function TriggerFields({
  id,
  trigger,
}: {
  readonly id: string;
  readonly trigger: Trigger;
}): ReactNode {
  const store = useStore();
  const { catalog } = store;
  const pointer = pointerTo("/triggers", id);
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const input = useEditor(({ drawing }) => drawing.document.input);
  const given = useEditor(({ drawing }) => valueAt(drawing.document, `${pointer}/input`));
  const own = useProblemsAt(pointer);
  const onProblems = useProblemsAt(`${pointer}/on`);
  const fieldId = useId();
  const context = useMemo(
    () => ({
      place: { kind: "trigger" as const, trigger: id },
      allowsSecrets: false,
      allowsBindings: true,
    }),
    [id],
  );
  const known = catalog.data.triggers ?? [];
  const options = [
    ...known.map(({ on, title }) => [on, title ?? on] as const),
    ...GENERAL_TRIGGERS.filter(([on]) => known.every((each) => each.on !== on)),
  ];
  const isListed = options.some(([on]) => on === trigger.on);
  const { hasOtherTriggers = catalog.data.triggers === undefined } = catalog.data;
  const isTopic = !isListed && hasOtherTriggers;
  const description = known.find(({ on }) => on === trigger.on)?.description;
  return (
    <div className="oxe-trigger">
      <div className="oxe-field" data-pointer={`${pointer}/on`}>
        <div className="oxe-field-head">
          <label className="oxe-label" htmlFor={fieldId}>
            Event
          </label>
          {isReadOnly ? null : (
            <IconButton
              icon="trash"
              size={15}
              label="Remove the trigger"
              title="Remove"
              onClick={() => {
                setValue(store, pointer, undefined);
                store.endGesture();
              }}
            />
          )}
        </div>
        <select
          id={fieldId}
          disabled={isReadOnly}
          aria-describedby={`${fieldId}-problems`}
          value={isTopic ? TOPIC : trigger.on}
          onChange={({ target }) => {
            const on = target.value === TOPIC ? "" : target.value;
            setValue(store, pointer, { ...withEvent(trigger, on) });
            store.endGesture();
          }}
        >
          {options.map(([on, title]) => (
            <option key={on} value={on}>
              {title}
            </option>
          ))}
          {hasOtherTriggers ? <option value={TOPIC}>A topic</option> : null}
          {isListed || isTopic ? null : <option>{trigger.on}</option>}
        </select>
        {description === undefined ? null : <p className="oxe-hint">{description}</p>}
        <FieldProblems
          id={`${fieldId}-problems`}
          problems={isTopic ? own : [...onProblems, ...own]}
        />
      </div>
      {isTopic ? (
        <TextField
          pointer={`${pointer}/on`}
          label="Topic"
          placeholder="order.paid"
          hint="Or a pattern: * is one word, # any number of words."
        />
      ) : null}
      <SourceFields pointer={pointer} trigger={trigger} />
      <FieldContext value={context}>
        <BindingField
          pointer={`${pointer}/when`}
          label="Only if"
          schema={{
            type: "string",
            widget: "expression",
            description: "A condition over the event, such as event.total > 100.",
          }}
        />
        <BindingField
          pointer={`${pointer}/once_for`}
          label="Once for each"
          schema={{
            type: "array",
            bindable: false,
            items: { type: "string", widget: "expression" },
            description: "Events with the same values start one run together.",
          }}
        />
        {input === undefined ? null : (
          <BindingField
            pointer={`${pointer}/input`}
            label="Input"
            schema={inputSchema(input, given === undefined)}
          />
        )}
      </FieldContext>
      <TextField pointer={`${pointer}/delay`} label="Delay" placeholder="none" />
    </div>
  );
}

/** Without a value of its own, the input is the event. */
function inputSchema(schema: JsonSchema, isEvent: boolean): JsonSchema {
  return typeof schema === "object" && isEvent
    ? { ...schema, description: "Left empty, the input is the event itself." }
    : schema;
}
