/**
 * Asks the application for the problems that only it knows: `validate` of the data interface.
 *
 * Promises:
 *   S1  The last document that was given is asked for, and `onProblems` is called with the answer to it. One request is
 *       under way at a time; of the documents that are given meanwhile, only the last one is asked for.
 *   S2  A request that fails changes nothing: the editor's check stands, and publishing checks again.
 */
import type { Document, Problem } from "@oxbow/declared/check";
import type { EditorData } from "../data/editor-data.ts";

/** Time between the last change and the request, so that a word is asked for rather than its letters. */
const ASK_AFTER_MS = 250;

export type ValidatingData = Required<Pick<EditorData, "validate">>;

export class ServerCheck {
  readonly #data: ValidatingData;
  readonly #onProblems: (document: Document, problems: readonly Problem[]) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Given, and not asked for yet. */
  #waiting: Document | undefined;
  #isAsking = false;
  #isClosed = false;

  constructor(
    data: ValidatingData,
    onProblems: (document: Document, problems: readonly Problem[]) => void,
  ) {
    this.#data = data;
    this.#onProblems = onProblems;
  }

  /** Asks for a document soon, unless another one follows. */
  askSoon(document: Document): void {
    this.#waiting = document;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), ASK_AFTER_MS);
  }

  /** Ends it: an answer that is under way is dropped. */
  close(): void {
    this.#isClosed = true;
    this.#waiting = undefined;
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    const document = this.#waiting;
    if (this.#isAsking || document === undefined) return;
    this.#waiting = undefined;
    this.#isAsking = true;
    try {
      const problems = await this.#data.validate(document);
      if (!this.#isClosed) this.#onProblems(document, problems);
    } catch {
      // S2
    }
    this.#isAsking = false;
    await this.#ask();
  }
}
