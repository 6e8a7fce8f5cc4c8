/** The open editor: toolbar, palette, canvas or list, form, problems. */
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Problem } from "@oxbow/declared/check";
import { Canvas } from "../canvas/canvas.tsx";
import { MarksContext, NO_MARKS } from "../canvas/marks.ts";
import { Palette, PaletteChoice } from "../canvas/palette.tsx";
import { edgeId, edgesOf, removeEdges, removeNodes } from "../document/edits.ts";
import { copyNodes, pasteNodes, readFragment } from "../document/fragment.ts";
import { DefinitionForm } from "../form/definition-form.tsx";
import { NodeForm } from "../form/node-form.tsx";
import { ListView } from "../list/list-view.tsx";
import { RunsDialog } from "../runs/runs-dialog.tsx";
import { TestPanel } from "../test/test-panel.tsx";
import { useTest } from "../test/use-test.ts";
import { ProblemList } from "../problems/problem-list.tsx";
import { useEditor, useStore } from "../state/use-editor.ts";
import { ConflictDialog } from "../versions/conflict-dialog.tsx";
import { PublishDialog } from "../versions/publish-dialog.tsx";
import { VersionsDialog } from "../versions/versions-dialog.tsx";
import { type Adding, AddingContext, addStep, type Destination } from "./adding.ts";
import { Dialog } from "./dialog.tsx";
import { showField } from "./show-field.ts";
import { Toolbar, type View, type Window } from "./toolbar.tsx";

const NO_EDGES: ReadonlySet<string> = new Set();

export function Workbench({
  initialView,
  initialRun,
  onPublished,
}: {
  readonly initialView: View;
  readonly initialRun: string | undefined;
  readonly onPublished: ((version: number) => void) | undefined;
}): ReactNode {
  const store = useStore();
  const root = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>(initialView);
  const [open, setOpen] = useState<Window | undefined>(
    initialRun === undefined ? undefined : "runs",
  );
  const [showsProblems, setShowsProblems] = useState(false);
  const [showsTest, setShowsTest] = useState(false);
  const test = useTest();
  const [asked, setAsked] = useState<Destination>();
  const [selectedEdges, setSelectedEdges] = useState(NO_EDGES);
  const selected = useEditor((state) => state.selected);
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const conflict = useEditor(({ save }) => (save.kind === "conflict" ? save : undefined));

  const adding = useMemo<Adding>(
    () => ({ ask: setAsked, add: (type, destination) => addStep(store, type, destination) }),
    [store],
  );
  useSavedOnLeave();

  const remove = (): void => {
    if (store.state.selected.length > 0) {
      store.change((drawing) => removeNodes(drawing, store.state.selected), { select: [] });
    } else if (selectedEdges.size > 0) {
      store.changeDocument((document) =>
        removeEdges(
          document,
          edgesOf(document).filter((edge) => selectedEdges.has(edgeId(edge))),
        ),
      );
      setSelectedEdges(NO_EDGES);
    }
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const isCommand = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (isCommand && key === "z") {
      event.preventDefault();
      if (event.shiftKey) store.redo();
      else store.undo();
    } else if (isCommand && key === "y") {
      event.preventDefault();
      store.redo();
    } else if (isCommand && key === "s") {
      event.preventDefault();
      void store.flush();
    } else if (!isTyping(event.target) && !isCommand) onPlainKey(event);
  };

  const onPlainKey = (event: KeyboardEvent): void => {
    if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      remove();
    } else if (event.key === "/" && !isReadOnly) {
      event.preventDefault();
      setAsked({ kind: "end" });
    } else if (event.key === "Escape") {
      store.select([]);
      store.dismissNotice();
    }
  };

  const onCopy = (event: ClipboardEvent): void => {
    const { selected: ids } = store.state;
    if (isTyping(event.target) || ids.length === 0 || hasSelectedText()) return;
    const text = JSON.stringify(copyNodes(store.state.drawing, ids));
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
    if (event.type === "cut") remove();
  };

  const onPaste = (event: ClipboardEvent): void => {
    if (isTyping(event.target) || isReadOnly) return;
    const fragment = readFragment(event.clipboardData.getData("text/plain"));
    if (fragment === undefined) {
      store.notify("The clipboard holds no steps.", "refusal");
      return;
    }
    const { drawing, ids } = pasteNodes(store.state.drawing, fragment);
    store.change(() => drawing, { select: ids });
  };

  const showProblem = (problem: Problem): void => {
    store.select(problem.node === undefined ? [] : [problem.node]);
    if (root.current !== null) showField(root.current, problem.pointer);
  };

  return (
    <AddingContext value={adding}>
      {/* The shortcuts of everything inside, each of which is also a button. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        className="oxe-workbench"
        ref={root}
        onKeyDown={onKeyDown}
        onCopy={onCopy}
        onCut={onCopy}
        onPaste={onPaste}
      >
        <Toolbar
          view={view}
          onView={setView}
          onOpen={setOpen}
          onTest={() => setShowsTest(!showsTest)}
          showsTest={showsTest}
          onProblems={() => setShowsProblems(!showsProblems)}
          showsProblems={showsProblems}
        />
        <div className="oxe-main">
          {isReadOnly || view === "list" ? null : <Palette />}
          <div className="oxe-middle">
            <MarksContext value={showsTest ? test.marks : NO_MARKS}>
              {view === "canvas" ? (
                <Canvas
                  selectedEdges={selectedEdges}
                  onSelectEdges={setSelectedEdges}
                  isCut={showsTest}
                />
              ) : (
                <ListView />
              )}
            </MarksContext>
            <Notice />
            {showsTest ? <TestPanel trial={test} onClose={() => setShowsTest(false)} /> : null}
            {showsProblems ? <ProblemList onShow={showProblem} /> : null}
          </div>
          <aside className="oxe-inspector" aria-label="Properties">
            <Inspector selected={selected} />
          </aside>
        </div>
      </div>
      {asked === undefined ? null : (
        <Dialog title="Add a step" onClose={() => setAsked(undefined)}>
          <PaletteChoice
            onChoose={(type) => {
              setAsked(undefined);
              addStep(store, type, asked);
            }}
          />
        </Dialog>
      )}
      {conflict === undefined ? null : <ConflictDialog conflict={conflict} />}
      {open === "publish" ? (
        <PublishDialog
          onClose={() => setOpen(undefined)}
          onPublished={onPublished}
          onShow={(problem) => {
            setOpen(undefined);
            showProblem(problem);
          }}
        />
      ) : null}
      {open === "runs" ? (
        <RunsDialog initialRun={initialRun} onClose={() => setOpen(undefined)} />
      ) : null}
      {open === "versions" ? <VersionsDialog onClose={() => setOpen(undefined)} /> : null}
    </AddingContext>
  );
}

function Inspector({ selected }: { readonly selected: readonly string[] }): ReactNode {
  const store = useStore();
  const [first] = selected;
  if (first === undefined) return <DefinitionForm />;
  if (selected.length === 1) return <NodeForm key={first} id={first} />;
  return (
    <div className="oxe-form">
      <h2>{selected.length} steps</h2>
      <p className="oxe-hint">Copy them with Ctrl+C, delete them with Delete.</p>
      <button
        type="button"
        onClick={() => store.change((drawing) => removeNodes(drawing, selected), { select: [] })}
      >
        Delete them
      </button>
    </div>
  );
}

/** What has happened, or why something isn't possible. */
function Notice(): ReactNode {
  const store = useStore();
  const notice = useEditor((state) => state.notice);
  return (
    <div className="oxe-notices" role="status">
      {notice === undefined ? null : (
        <p className={`oxe-notice ${notice.kind}`}>
          {notice.text}
          <button
            type="button"
            className="oxe-quiet"
            aria-label="Dismiss"
            onClick={() => store.dismissNotice()}
          >
            ×
          </button>
        </p>
      )}
    </div>
  );
}

/** Saves when the page is hidden, and asks before it is closed with changes that aren't saved. */
function useSavedOnLeave(): void {
  const store = useStore();
  useEffect(() => {
    const onHidden = (): void => {
      if (document.visibilityState === "hidden") void store.flush();
    };
    const onLeave = (event: BeforeUnloadEvent): void => {
      const { kind } = store.state.save;
      if (kind === "saved" || store.state.isReadOnly) return;
      void store.flush();
      event.preventDefault();
    };
    document.addEventListener("visibilitychange", onHidden);
    window.addEventListener("beforeunload", onLeave);
    return () => {
      document.removeEventListener("visibilitychange", onHidden);
      window.removeEventListener("beforeunload", onLeave);
    };
  }, [store]);
}

/** A result in the test panel, for instance. */
const hasSelectedText = (): boolean => getSelection()?.isCollapsed === false;

const isTyping = (target: EventTarget): boolean =>
  target instanceof Element &&
  target.closest("input, textarea, select, [contenteditable]") !== null;
