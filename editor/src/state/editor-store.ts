/**
 * The state of an open definition, without React: the drawing with its history, what is selected, the problems, and the
 * state of saving. Components read snapshots, which are replaced rather than changed.
 */
import type { Document, Problem } from "@oxbow/declared/check";
import { type EditorCatalog } from "../catalog/editor-catalog.ts";
import { Checker } from "../check/checker.ts";
import { ServerCheck, type ValidatingData } from "../check/server-check.ts";
import type { EditorData, LoadedDraft } from "../data/editor-data.ts";
import type { Drawing } from "../document/edits.ts";
import { outlineOf } from "../document/outline.ts";
import { type Adopt, Autosave, type SaveState } from "./autosave.ts";
import { History } from "./history.ts";

export interface EditorState {
  readonly drawing: Drawing;
  /** The document at the time when its steps, their titles, ways out or connections last changed. See `outlineOf`. */
  readonly outline: Document;
  /** Ids of nodes. */
  readonly selected: readonly string[];
  readonly problems: readonly Problem[];
  /** Whether the document has been checked since it was opened. */
  readonly isChecked: boolean;
  readonly save: SaveState;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly isReadOnly: boolean;
  readonly publishedVersion: number | undefined;
  /** Shown to users, and read by screen readers: why something isn't possible, or what has been done. */
  readonly notice: { readonly text: string; readonly kind: "info" | "refusal" } | undefined;
}

export interface ChangeOptions {
  /** Changes of one gesture are undone together: the letters typed into one field. */
  readonly gesture?: string;
  /** Selects nodes with the change. */
  readonly select?: readonly string[];
}

export class EditorStore {
  readonly catalog: EditorCatalog;
  readonly data: EditorData;
  readonly #history = new History<Drawing>();
  readonly #listeners = new Set<() => void>();
  readonly #autosave: Autosave;
  #state: EditorState;
  /** Absent for a document that isn't the draft. */
  readonly #checker: Checker | undefined;
  /** Problems of the last check. */
  #own: readonly Problem[] = [];
  /** Absent for the same, and for data that doesn't validate. */
  readonly #serverCheck: ServerCheck | undefined;
  /** The problems of the last answer that the editor's own check didn't find. */
  #fromServer: readonly Problem[] = [];

  /**
   * @param options - `isChecked`: false shows no problems: of a document that isn't the draft. `checkWorker` makes the web
   *   worker that checks; by default, the page does.
   */
  constructor(
    data: EditorData,
    loaded: LoadedDraft,
    catalog: EditorCatalog,
    {
      isChecked = true,
      checkWorker,
    }: { readonly isChecked?: boolean; readonly checkWorker?: (() => Worker) | undefined } = {},
  ) {
    this.data = data;
    this.catalog = catalog;
    const drawing = { document: loaded.document, positions: loaded.layout?.nodes ?? {} };
    this.#state = {
      drawing,
      outline: drawing.document,
      selected: [],
      problems: [],
      isChecked: false,
      save: { kind: "saved" },
      canUndo: false,
      canRedo: false,
      isReadOnly: data.save === undefined,
      publishedVersion: loaded.publishedVersion,
      notice: undefined,
    };
    this.#autosave = new Autosave(data, loaded, {
      document: () => this.document,
      changed: (save) => this.#set({ save }),
      merged: (adopt, notice) => this.#takeOver(adopt, notice),
    });
    if (!isChecked) return;
    this.#checker = new Checker({
      catalog: catalog.data,
      forChecks: catalog.forChecks,
      makeWorker: checkWorker,
      onProblems: (document, problems) => this.#checked(document, problems),
    });
    if (data.validate !== undefined) {
      this.#serverCheck = new ServerCheck(data as ValidatingData, (document, problems) =>
        this.#validated(document, problems),
      );
    }
    this.#checker.checkNow(loaded.document);
  }

  get state(): EditorState {
    return this.#state;
  }

  get document(): Document {
    return this.#state.drawing.document;
  }

  /** The revision that the store knows as saved. */
  get revision(): number {
    return this.#autosave.revision;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  /** Changes the drawing, as one step of undo. */
  change(edit: (drawing: Drawing) => Drawing, options: ChangeOptions = {}): void {
    const { drawing, isReadOnly, selected } = this.#state;
    if (isReadOnly) return;
    const next = edit(drawing);
    if (next === drawing) return;
    this.#history.note(drawing, options.gesture);
    this.#replace(next, options.select ?? selected);
  }

  /** Changes only the document. */
  changeDocument(edit: (document: Document) => Document, options: ChangeOptions = {}): void {
    this.change((drawing) => {
      const document = edit(drawing.document);
      return document === drawing.document ? drawing : { ...drawing, document };
    }, options);
  }

  endGesture(): void {
    this.#history.endGesture();
  }

  undo(): void {
    const drawing = this.#state.isReadOnly ? undefined : this.#history.undo(this.#state.drawing);
    if (drawing !== undefined) this.#replace(drawing, this.#state.selected);
  }

  redo(): void {
    const drawing = this.#state.isReadOnly ? undefined : this.#history.redo(this.#state.drawing);
    if (drawing !== undefined) this.#replace(drawing, this.#state.selected);
  }

  select(ids: readonly string[]): void {
    const { selected } = this.#state;
    if (ids.length === selected.length && ids.every((id) => selected.includes(id))) return;
    this.#history.endGesture();
    this.#set({ selected: ids });
  }

  notify(text: string, kind: "info" | "refusal" = "info"): void {
    this.#set({ notice: { text, kind } });
  }

  dismissNotice(): void {
    if (this.#state.notice !== undefined) this.#set({ notice: undefined });
  }

  /** Saves what isn't saved yet. Resolves when nothing is left, or saving needs an answer. */
  flush(): Promise<void> {
    return this.#autosave.flush();
  }

  /** Continues after a conflict with the document that was chosen. */
  resolveConflict(document: Document): void {
    const { drawing, save } = this.#state;
    if (save.kind !== "conflict") return;
    this.#adopt(save.adopt);
    this.#replace({ ...drawing, document }, []);
    this.#autosave.resolved();
  }

  published(version: number): void {
    this.#set({ publishedVersion: version });
  }

  /** Ends the checks; what isn't saved is saved. */
  close(): void {
    this.#checker?.close();
    this.#serverCheck?.close();
    void this.#autosave.flush();
  }

  #replace(drawing: Drawing, selected: readonly string[]): void {
    const before = this.#state.drawing;
    const { nodes } = drawing.document;
    const isThere = (id: string): boolean => Object.hasOwn(nodes, id);
    this.#set({
      drawing,
      // The same list as before, so that nothing is drawn again for it.
      selected: selected.every(isThere) ? selected : selected.filter(isThere),
      notice: undefined,
    });
    if (drawing.document !== before.document) {
      this.#autosave.changed();
      this.#checkSoon();
    }
    if (drawing.positions !== before.positions) this.#autosave.moved({ nodes: drawing.positions });
  }

  /** Takes over what others saved, also in the steps of undo, which would revert it otherwise. */
  #takeOver(adopt: Adopt, notice: string): void {
    this.#adopt(adopt);
    const { drawing } = this.#state;
    this.#set({
      drawing: { ...drawing, document: adopt(drawing.document) },
      notice: { text: notice, kind: "info" },
    });
    this.#checkSoon();
  }

  #adopt(adopt: Adopt): void {
    this.#history.rebase((drawing) => ({ ...drawing, document: adopt(drawing.document) }));
  }

  #checkSoon(): void {
    this.#checker?.checkSoon(this.document);
  }

  #checked(document: Document, problems: readonly Problem[]): void {
    // A document that has changed since is checked again soon.
    if (document !== this.document) return;
    this.#own = problems;
    this.#set({ problems: [...problems, ...without(this.#fromServer, problems)], isChecked: true });
    this.#serverCheck?.askSoon(document);
  }

  #validated(document: Document, problems: readonly Problem[]): void {
    if (document !== this.document) return;
    // The next check of the editor removes its own findings.
    const news = without(problems, this.#own);
    if (news.length + this.#fromServer.length === 0) return;
    this.#fromServer = news;
    this.#set({ problems: [...this.#own, ...news] });
  }

  #set(change: Partial<EditorState>): void {
    const { outline } = this.#state;
    this.#state = {
      ...this.#state,
      ...change,
      outline:
        change.drawing === undefined
          ? outline
          : outlineOf(change.drawing.document, outline, this.catalog.handlesOf),
      canUndo: this.#history.canUndo,
      canRedo: this.#history.canRedo,
    };
    for (const listener of this.#listeners) listener();
  }
}

/** The problems that are not among others. */
function without(problems: readonly Problem[], others: readonly Problem[]): readonly Problem[] {
  if (problems.length === 0) return problems;
  const known = new Set(others.map(({ code, pointer }) => `${code} ${pointer}`));
  return problems.filter(({ code, pointer }) => !known.has(`${code} ${pointer}`));
}
