/**
 * Saves the draft a moment after the last change, by its revision.
 *
 *   A1  One save at a time; changes made in the meantime are saved by the next.
 *   A2  A draft that others saved first is merged: parts that only one side changed are taken from it, without a question.
 *   A3  Parts that both changed are a conflict. Nothing is saved until it is resolved, and nothing is lost.
 *   A4  A failed save is repeated with growing pauses, and by the next change: also after the editor is closed.
 */
import { type Document, jsonEquals, type Layout } from "@oxbow/declared/check";
import { messageOf } from "../data/message-of.ts";
import type { Draft, EditorData } from "../data/editor-data.ts";
import { type Merge, mergeDrafts } from "../document/merge.ts";

const SAVE_AFTER_MS = 600;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

export type SaveState =
  | { readonly kind: "saved" }
  | { readonly kind: "unsaved" }
  | { readonly kind: "saving" }
  | { readonly kind: "failed"; readonly message: string }
  | {
      readonly kind: "conflict";
      readonly merge: Merge;
      readonly adopt: Adopt;
      readonly by: string | undefined;
    };

interface Host {
  readonly document: () => Document;
  readonly changed: (state: SaveState) => void;
  /** Takes over a merge without conflicts. */
  readonly merged: (adopt: Adopt, notice: string) => void;
}

/** Adds to a document what others changed; where both changed a part, theirs is taken. */
export type Adopt = (document: Document) => Document;

export class Autosave {
  readonly #data: EditorData;
  readonly #host: Host;
  /** The stored draft, as far as this side knows. */
  #base: Draft;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #layoutTimer: ReturnType<typeof setTimeout> | undefined;
  #layout: Layout | undefined;
  #saving: Promise<void> | undefined;
  #pause = FIRST_PAUSE_MS;
  #isConflict = false;
  #isFailed = false;

  constructor(data: EditorData, loaded: Draft, host: Host) {
    this.#data = data;
    this.#host = host;
    this.#base = { document: loaded.document, revision: loaded.revision };
  }

  get revision(): number {
    return this.#base.revision;
  }

  changed(): void {
    if (this.#isConflict || this.#data.save === undefined) return;
    if (this.#saving === undefined) this.#host.changed({ kind: "unsaved" });
    this.#pause = FIRST_PAUSE_MS;
    this.#later(SAVE_AFTER_MS);
  }

  moved(layout: Layout): void {
    if (this.#data.saveLayout === undefined) return;
    this.#layout = layout;
    clearTimeout(this.#layoutTimer);
    this.#layoutTimer = setTimeout(() => this.#saveLayout(), SAVE_AFTER_MS);
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#saveLayout();
    // Others may have waited for the same save, and begun the next.
    while (this.#saving !== undefined) await this.#saving;
    if (this.#isConflict) return;
    // A change that was taken back leaves nothing to save.
    if (this.#isSaved()) this.#host.changed({ kind: "saved" });
    else await this.#save();
  }

  resolved(): void {
    this.#isConflict = false;
    // Where theirs was chosen throughout, nothing is left to save.
    this.#host.changed({ kind: this.#isSaved() ? "saved" : "unsaved" });
    void this.flush();
  }

  #isSaved(): boolean {
    return jsonEquals(this.#base.document, this.#host.document());
  }

  #later(pause: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), pause);
  }

  #saveLayout(): void {
    clearTimeout(this.#layoutTimer);
    const layout = this.#layout;
    this.#layout = undefined;
    // The next move saves all positions.
    if (layout !== undefined) void this.#data.saveLayout?.(layout).catch(() => undefined);
  }

  async #save(): Promise<void> {
    this.#saving = this.#saveOnce().finally(() => {
      this.#saving = undefined;
    });
    await this.#saving;
    if (!this.#isConflict && !this.#isFailed && !this.#isSaved()) this.#later(SAVE_AFTER_MS);
  }

  async #saveOnce(): Promise<void> {
    const { save } = this.#data;
    if (save === undefined) return;
    this.#isFailed = false;
    const document = this.#host.document();
    this.#host.changed({ kind: "saving" });
    try {
      const answer = await save({ document, revision: this.#base.revision });
      this.#pause = FIRST_PAUSE_MS;
      if (answer.kind === "conflict") this.#merge(answer.theirs);
      else {
        this.#base = { document, revision: answer.revision };
        this.#host.changed({ kind: this.#isSaved() ? "saved" : "unsaved" });
      }
    } catch (error) {
      this.#isFailed = true;
      const message = messageOf(error);
      this.#host.changed({ kind: "failed", message });
      this.#later(this.#pause);
      this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
    }
  }

  #merge(theirs: Draft & { readonly by?: string }): void {
    const base = this.#base.document;
    const adopt: Adopt = (document) =>
      mergeDrafts(base, document, theirs.document).resolve(() => "theirs");
    const merge = mergeDrafts(base, this.#host.document(), theirs.document);
    this.#base = { document: theirs.document, revision: theirs.revision };
    const { by } = theirs;
    if (merge.conflicts.length > 0) {
      this.#isConflict = true;
      this.#host.changed({ kind: "conflict", merge, adopt, by });
      return;
    }
    const whose = by === undefined ? "made elsewhere" : `by ${by}`;
    this.#host.merged(adopt, `Changes ${whose} were merged with yours.`);
    this.#host.changed({ kind: this.#isSaved() ? "saved" : "unsaved" });
  }
}
