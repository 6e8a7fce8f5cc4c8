/** The toolbar: titles, views, undo, the state of saving, problems, versions, publishing. */
import type { ReactNode } from "react";
import { Icon, IconButton } from "../catalog/icon.tsx";
import type { SaveState } from "../state/autosave.ts";
import { useEditor, useStore } from "../state/use-editor.ts";
import { useAdding } from "./adding.ts";

export type View = "canvas" | "list";

export type Window = "publish" | "runs" | "versions";

const VIEWS: readonly (readonly [View, title: string, icon: string])[] = [
  ["canvas", "Canvas", "layout"],
  ["list", "List", "list"],
];

export function Toolbar({
  view,
  onView,
  onOpen,
  onTest,
  showsTest,
  onProblems,
  showsProblems,
}: {
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly onOpen: (window: Window) => void;
  readonly onTest: () => void;
  readonly showsTest: boolean;
  readonly onProblems: () => void;
  readonly showsProblems: boolean;
}): ReactNode {
  const store = useStore();
  const adding = useAdding();
  const { data } = store;
  const title = useEditor(({ drawing: { document } }) => document.title ?? document.name);
  const canUndo = useEditor((state) => state.canUndo);
  const canRedo = useEditor((state) => state.canRedo);
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const version = useEditor((state) => state.publishedVersion);
  const errors = useEditor(
    ({ problems }) => problems.filter(({ severity }) => severity === "error").length,
  );
  const warnings = useEditor(({ problems }) => problems.length) - errors;
  const isChecked = useEditor((state) => state.isChecked);
  return (
    <header className="oxe-toolbar">
      <button
        type="button"
        className="oxe-title"
        title="Properties of the workflow"
        onClick={() => store.select([])}
      >
        <span>{title}</span>
        <span className="oxe-version">{version === undefined ? "draft" : `v${version}`}</span>
      </button>
      <div className="oxe-switch" role="group" aria-label="View">
        {VIEWS.map(([each, name, icon]) => (
          <button
            key={each}
            type="button"
            aria-pressed={view === each}
            onClick={() => onView(each)}
          >
            <Icon name={icon} size={15} /> {name}
          </button>
        ))}
      </div>
      {isReadOnly ? (
        <span className="oxe-hint">Read only</span>
      ) : (
        <>
          <button
            type="button"
            className="oxe-add-step"
            onClick={() => adding.ask({ kind: "end" })}
          >
            <Icon name="plus" size={15} /> Step
          </button>
          <div className="oxe-buttons">
            <IconButton
              icon="undo"
              label="Undo"
              title="Undo (Ctrl+Z)"
              disabled={!canUndo}
              onClick={() => store.undo()}
            />
            <IconButton
              icon="redo"
              label="Redo"
              title="Redo (Ctrl+Shift+Z)"
              disabled={!canRedo}
              onClick={() => store.redo()}
            />
          </div>
          <Saving />
        </>
      )}
      <span className="oxe-space" />
      <button
        type="button"
        className={`oxe-problems-button${errors > 0 ? " error" : warnings > 0 ? " warning" : ""}`}
        aria-expanded={showsProblems}
        onClick={onProblems}
      >
        <Icon name={errors + warnings === 0 ? "check" : "warning"} size={15} />
        {isChecked ? summary(errors, warnings) : "Checking…"}
      </button>
      {data.test === undefined || data.progress === undefined || isReadOnly ? null : (
        <button type="button" aria-expanded={showsTest} onClick={onTest}>
          <Icon name="flask" size={15} /> Test
        </button>
      )}
      {data.runs === undefined || data.progress === undefined ? null : (
        <button type="button" onClick={() => onOpen("runs")}>
          <Icon name="play" size={15} /> Runs
        </button>
      )}
      {data.versions === undefined ? null : (
        <button type="button" onClick={() => onOpen("versions")}>
          <Icon name="history" size={15} /> Versions
        </button>
      )}
      {data.publish === undefined || isReadOnly ? null : (
        <button type="button" className="oxe-primary" onClick={() => onOpen("publish")}>
          Publish…
        </button>
      )}
    </header>
  );
}

function summary(errors: number, warnings: number): string {
  if (errors === 0 && warnings === 0) return "No problems";
  return [
    ...(errors === 0 ? [] : [count(errors, "error")]),
    ...(warnings === 0 ? [] : [count(warnings, "warning")]),
  ].join(", ");
}

const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;

const SAVE_TEXTS: Readonly<Record<SaveState["kind"], string>> = {
  saved: "Saved",
  unsaved: "Not saved yet",
  saving: "Saving…",
  failed: "Not saved",
  conflict: "Changed elsewhere",
};

function Saving(): ReactNode {
  const store = useStore();
  const save = useEditor((state) => state.save);
  return (
    <span className={`oxe-saving ${save.kind}`} role="status">
      {SAVE_TEXTS[save.kind]}
      {save.kind === "failed" ? (
        <>
          : {save.message}{" "}
          <button type="button" className="oxe-link" onClick={() => void store.flush()}>
            Save now
          </button>
        </>
      ) : null}
    </span>
  );
}
