/** The editor of a definition: what an application embeds. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { messageOf } from "../data/message-of.ts";
import { editorCatalog } from "../catalog/editor-catalog.ts";
import type { EditorData } from "../data/editor-data.ts";
import { EditorStore } from "../state/editor-store.ts";
import { EditorContext } from "../state/use-editor.ts";
import { Workbench } from "./workbench.tsx";

/** The properties of `Editor`. */
export interface EditorProps {
  /** Reads and writes the definition. Another object opens another definition, so keep it between renders. */
  readonly data: EditorData;
  /** `auto` follows the `color-scheme` of the page around it. Default: `auto`. */
  readonly theme?: "auto" | "light" | "dark";
  /** Shows steps as a drawing or as a list. Default: `canvas`. */
  readonly initialView?: "canvas" | "list";
  /** Opens with the progress of this run, if the data can read it. */
  readonly initialRun?: string;
  /** Class of the outermost element, for sizes and custom properties. */
  readonly className?: string;
  /**
   * Makes a web worker that runs `@oxbow/editor/check-worker`, so that checks of large definitions don't hold up typing.
   * Default: the page checks, as it does if the worker doesn't load.
   */
  readonly checkWorker?: () => Worker;
  /** Called after a version was published. */
  readonly onPublished?: (version: number) => void;
}

type Opened =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "open"; readonly store: EditorStore };

/** Edits one definition. Fills its parent, which needs a height. */
export function Editor({
  data,
  theme = "auto",
  initialView = "canvas",
  initialRun,
  className,
  checkWorker,
  onPublished,
}: EditorProps): ReactNode {
  const [attempt, setAttempt] = useState(0);
  const opened = useOpened(data, attempt, checkWorker);
  return (
    <div
      className={`oxbow-editor${className === undefined ? "" : ` ${className}`}`}
      data-theme={theme}
      // So that shortcuts work after a press on the canvas.
      tabIndex={-1}
    >
      {opened.kind === "loading" ? (
        <p className="oxe-loading" aria-busy="true">
          Loading…
        </p>
      ) : null}
      {opened.kind === "failed" ? (
        <div className="oxe-loading" role="alert">
          <p>The workflow can’t be opened: {opened.message}</p>
          <button type="button" onClick={() => setAttempt(attempt + 1)}>
            Try again
          </button>
        </div>
      ) : null}
      {opened.kind === "open" ? (
        <EditorContext value={opened.store}>
          <Workbench
            initialView={initialView}
            initialRun={data.progress === undefined ? undefined : initialRun}
            onPublished={onPublished}
          />
        </EditorContext>
      ) : null}
    </div>
  );
}

function useOpened(
  data: EditorData,
  attempt: number,
  checkWorker: (() => Worker) | undefined,
): Opened {
  // Another function for the same worker opens nothing again.
  const makeWorker = useRef(checkWorker);

  const [opened, setOpened] = useState<{
    readonly data: EditorData;
    readonly attempt: number;
    readonly result: Opened;
  }>();
  useEffect(() => {
    let isCurrent = true;
    let store: EditorStore | undefined;
    Promise.all([data.load(), data.catalog()]).then(
      ([loaded, catalog]) => {
        if (!isCurrent) return;
        store = new EditorStore(data, loaded, editorCatalog(catalog), {
          checkWorker: makeWorker.current,
        });
        setOpened({ data, attempt, result: { kind: "open", store } });
      },
      (error: unknown) => {
        const message = messageOf(error);
        if (isCurrent) setOpened({ data, attempt, result: { kind: "failed", message } });
      },
    );
    return () => {
      isCurrent = false;
      store?.close();
    };
  }, [data, attempt]);
  return opened?.data === data && opened.attempt === attempt ? opened.result : { kind: "loading" };
}
