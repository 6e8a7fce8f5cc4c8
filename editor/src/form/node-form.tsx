/** The form of a step: its parameters, when it runs, what happens when it fails, and its connections. */
import { handleOf, type JsonSchema, type Node } from "@oxbow/declared/check";
import { memo, type ReactNode, useId, useMemo } from "react";
import { isLoop } from "../catalog/loops.ts";
import { Icon, IconButton, TypeIcon } from "../catalog/icon.tsx";
import { targetsOf, titleOf } from "../document/connections.ts";
import {
  addEdge,
  edgesOf,
  edgeTo,
  moveInto,
  removeEdges,
  removeNodes,
  withNodeMember,
} from "../document/edits.ts";
import { copyNodes, pasteNodes } from "../document/fragment.ts";
import { FieldProblems, useProblemsAt } from "../problems/field-problems.tsx";
import { useAdding } from "../shell/adding.ts";
import { useEditor, useStore } from "../state/use-editor.ts";
import { BindingField } from "./binding-field.tsx";
import { FieldContext } from "./field-context.ts";
import { NumberField } from "./number-field.tsx";
import { Prose } from "./prose.tsx";
import { propertiesOf, typesOf } from "./schema-facts.ts";
import { SelectField } from "./select-field.tsx";
import { setValue } from "./set-value.ts";
import { TextField } from "./text-field.tsx";

export function NodeForm({ id }: { readonly id: string }): ReactNode {
  const store = useStore();
  const { catalog } = store;
  const node = useEditor(({ drawing }) => drawing.document.nodes[id]);
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const pointer = `/nodes/${id}`;
  const typeProblems = useProblemsAt(`${pointer}/type`);
  const ownProblems = useProblemsAt(pointer);
  const problemsId = useId();
  if (node === undefined) return null;
  const type = catalog.nodeTypes.get(node.type);
  const typeTitle = catalog.titleOfType(node.type);
  return (
    <form
      className="oxe-form"
      aria-label={`Step ${node.title ?? typeTitle}`}
      onSubmit={(event) => event.preventDefault()}
    >
      <header className="oxe-form-head" data-category={type?.category ?? "Other"}>
        <TypeIcon icon={type?.icon} title={typeTitle} />
        <div>
          <h2>{typeTitle}</h2>
          <p className="oxe-hint">
            <code>{id}</code> · <code>{node.type}</code>
          </p>
        </div>
        {isReadOnly ? null : <NodeActions id={id} />}
      </header>
      {type?.description === undefined ? null : (
        <p className="oxe-lead">
          <Prose text={type.description} />
        </p>
      )}
      <FieldProblems id={problemsId} problems={[...typeProblems, ...ownProblems]} />
      <TextField pointer={`${pointer}/title`} label="Step name" placeholder={typeTitle} />
      <Parameters id={id} type={node.type} />
      {isLoop(node.type) ? <Body id={id} /> : null}
      <Conditions id={id} node={node} />
      <Failure id={id} node={node} />
      <Connections id={id} />
    </form>
  );
}

function NodeActions({ id }: { readonly id: string }): ReactNode {
  const store = useStore();
  return (
    <div className="oxe-form-actions">
      <IconButton
        icon="copy"
        label="Duplicate the step"
        title="Duplicate"
        onClick={() => {
          const { drawing } = store.state;
          const pasted = pasteNodes(drawing, copyNodes(drawing, [id]));
          store.change(() => pasted.drawing, { select: pasted.ids.slice(0, 1) });
        }}
      />
      <IconButton
        icon="trash"
        label="Delete the step"
        title="Delete"
        onClick={() => store.change((drawing) => removeNodes(drawing, [id]), { select: [] })}
      />
    </div>
  );
}

function Parameters({ id, type }: { readonly id: string; readonly type: string }): ReactNode {
  const { catalog } = useStore();
  // Parameters of a type that isn't known are added by name.
  const schema = withMembers(catalog.nodeTypes.get(type)?.params);
  const context = useMemo(
    () => ({
      place: { kind: "parameters" as const, node: id },
      allowsSecrets: catalog.takesSecrets(type),
      allowsBindings: true,
    }),
    [id, type, catalog],
  );
  const properties = propertiesOf(catalog.resolve(schema));
  if (properties?.length === 0) return null;
  return (
    <FieldContext value={context}>
      <BindingField pointer={`/nodes/${id}/params`} schema={schema} label="Parameters" isWhole />
    </FieldContext>
  );
}

/** Parameters are an object, also where their schema doesn't name its members. */
function withMembers(schema: JsonSchema | undefined): JsonSchema {
  if (typeof schema !== "object") return { type: "object" };
  return typesOf(schema) === undefined && schema["$ref"] === undefined
    ? { ...schema, type: "object" }
    : schema;
}

function Body({ id }: { readonly id: string }): ReactNode {
  const adding = useAdding();
  const count = useEditor(
    ({ drawing }) =>
      Object.values(drawing.document.nodes).filter(({ parent }) => parent === id).length,
  );
  const isReadOnly = useEditor((state) => state.isReadOnly);
  return (
    <section className="oxe-section">
      <h3>In each round</h3>
      <p className="oxe-hint">
        {count === 0 ? "The loop has no steps yet." : `${count} ${count === 1 ? "step" : "steps"}.`}
      </p>
      {isReadOnly ? null : (
        <button
          type="button"
          className="oxe-add"
          onClick={() => adding.ask({ kind: "inside", loop: id })}
        >
          <Icon name="plus" size={14} /> Add a step inside
        </button>
      )}
    </section>
  );
}

function Conditions({ id, node }: { readonly id: string; readonly node: Node }): ReactNode {
  const store = useStore();
  const document = useEditor(({ outline }) => outline);
  const incoming = edgesOf(document).filter(({ to }) => to === id).length;
  const loops = Object.entries(document.nodes).filter(
    ([each, { type }]) => isLoop(type) && each !== id,
  );
  const context = useMemo(
    () => ({
      place: { kind: "guard" as const, node: id },
      allowsSecrets: false,
      allowsBindings: false,
    }),
    [id],
  );
  const join = node.join ?? "all";
  return (
    <details
      className="oxe-section"
      open={node.when !== undefined || node.join !== undefined ? true : undefined}
    >
      <summary>When it runs</summary>
      <FieldContext value={context}>
        <BindingField
          pointer={`/nodes/${id}/when`}
          label="Only if"
          schema={{
            type: "string",
            widget: "expression",
            description:
              "A condition, such as input.total > 100. If it is false, the step is skipped.",
          }}
        />
      </FieldContext>
      {incoming < 2 && node.join === undefined ? null : (
        <SelectField
          label="Waits for"
          pointer={`/nodes/${id}/join`}
          value={typeof join === "object" ? "count" : join}
          options={[
            ["all", "all steps before it"],
            ["any", "the first of them"],
            ["count", "a number of them"],
          ]}
          onChange={(value) => {
            const next =
              value === "all" ? undefined : value === "any" ? ("any" as const) : { count: 2 };
            store.changeDocument((before) => withNodeMember(before, id, "join", next));
          }}
        />
      )}
      {typeof join === "object" ? (
        <NumberField
          label="How many"
          pointer={`/nodes/${id}/join/count`}
          value={join.count}
          onChange={(count) => setValue(store, `/nodes/${id}/join`, { count: count ?? 1 })}
        />
      ) : null}
      {loops.length === 0 ? null : (
        <SelectField
          label="Inside the loop"
          pointer={`/nodes/${id}/parent`}
          value={node.parent ?? ""}
          options={[
            ["", "none"],
            ...loops.map(([each]) => [each, titleOf(document, each)] as const),
          ]}
          onChange={(value) =>
            store.changeDocument((before) => moveInto(before, id, value === "" ? undefined : value))
          }
        />
      )}
    </details>
  );
}

function Failure({ id, node }: { readonly id: string; readonly node: Node }): ReactNode {
  const store = useStore();
  const context = useMemo(
    () => ({
      place: { kind: "fallback" as const, node: id },
      allowsSecrets: false,
      allowsBindings: true,
    }),
    [id],
  );
  const { onError = "fail", retry, timeout } = node;
  return (
    <details
      className="oxe-section"
      open={
        node.onError !== undefined || retry !== undefined || timeout !== undefined
          ? true
          : undefined
      }
    >
      <summary>If it fails</summary>
      <NumberField
        label="Attempts"
        pointer={`/nodes/${id}/retry/attempts`}
        value={retry?.attempts}
        placeholder="as the step's type says"
        onChange={(attempts) => {
          const { attempts: _old, ...rest } = retry ?? {};
          const next = attempts === undefined ? rest : { ...rest, attempts };
          store.changeDocument(
            (before) =>
              withNodeMember(
                before,
                id,
                "retry",
                Object.keys(next).length === 0 ? undefined : next,
              ),
            { gesture: `${id} attempts` },
          );
        }}
      />
      <TextField
        pointer={`/nodes/${id}/timeout`}
        label="Time limit of an attempt"
        placeholder="30s"
      />
      <SelectField
        label="Then"
        pointer={`/nodes/${id}/onError`}
        value={onError}
        options={[
          ["fail", "take the way “error”, or fail the run"],
          ["continue", "continue with another output"],
        ]}
        onChange={(value) =>
          store.changeDocument((before) => {
            const isContinue = value === "continue";
            const next = withNodeMember(before, id, "onError", isContinue ? "continue" : undefined);
            return withNodeMember(next, id, "fallback", isContinue ? null : undefined);
          })
        }
      />
      {onError === "continue" ? (
        <FieldContext value={context}>
          <BindingField pointer={`/nodes/${id}/fallback`} schema={{}} label="Output then" />
        </FieldContext>
      ) : null}
    </details>
  );
}

/** The connections as a list: what the canvas draws, for the keyboard and for screen readers. */
const Connections = memo(function Connections({ id }: { readonly id: string }): ReactNode {
  const store = useStore();
  const adding = useAdding();
  const document = useEditor(({ outline }) => outline);
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const node = document.nodes[id];
  if (node === undefined) return null;
  const handles = store.catalog.handlesOf(node);
  const incoming = edgesOf(document).filter(({ to }) => to === id);
  const outgoing = edgesOf(document).filter(({ from }) => from === id);
  const all = handles.length === 0 ? [] : [...handles, "error"];
  return (
    <section className="oxe-section">
      <h3>Connections</h3>
      <p className="oxe-hint">
        {incoming.length === 0
          ? "Runs first."
          : `After ${incoming.map(({ from }) => titleOf(document, from)).join(", ")}.`}
      </p>
      {all.length === 0 ? <p className="oxe-hint">Nothing comes after it.</p> : null}
      {all.map((handle) => (
        <div className="oxe-connection" key={handle}>
          <span className={`oxe-edge-label${handle === "error" ? " on-error" : ""}`}>
            {handle === "out" ? "then" : handle}
          </span>
          <ul>
            {outgoing
              .filter((edge) => handleOf(edge) === handle)
              .map((edge) => (
                <li key={edge.to}>
                  <button
                    type="button"
                    className="oxe-link"
                    onClick={() => store.select([edge.to])}
                  >
                    {titleOf(document, edge.to)}
                  </button>
                  {isReadOnly ? null : (
                    <IconButton
                      icon="close"
                      size={13}
                      label={`Disconnect ${handle} from ${titleOf(document, edge.to)}`}
                      title="Disconnect"
                      onClick={() => store.changeDocument((before) => removeEdges(before, [edge]))}
                    />
                  )}
                </li>
              ))}
            {isReadOnly ? null : (
              <li>
                <select
                  aria-label={`Connect ${handle} to`}
                  value=""
                  onChange={({ target }) => {
                    const to = target.value;
                    if (to === "new") adding.ask({ kind: "after", from: id, on: handle });
                    else {
                      store.changeDocument((before) =>
                        addEdge(before, edgeTo({ from: id, on: handle }, to)),
                      );
                    }
                  }}
                >
                  <option value="">Connect to…</option>
                  <option value="new">A new step</option>
                  {targetsOf(document, id, handle).map((each) => (
                    <option key={each} value={each}>
                      {titleOf(document, each)}
                    </option>
                  ))}
                </select>
              </li>
            )}
          </ul>
        </div>
      ))}
    </section>
  );
});
