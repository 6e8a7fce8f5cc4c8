/**
 * Checks the document of an editor in a web worker, so that a check of a thousand steps doesn't hold up typing.
 *
 * Promises:
 *   C1  The last document that was given is checked, and `onProblems` is called with its problems. Of those that are given
 *       while a check is under way only the last one is checked.
 *   C2  Without a worker, or with one that doesn't load, fails or doesn't answer, the page checks by itself, at intervals
 *       of at least the time that a check takes.
 */
import { type Catalog, checkDocument, type Document, type Problem } from "@oxbow/declared/check";
import type { CatalogData } from "../data/catalog-data.ts";
import type { CheckAnswer, CheckRequest } from "./check-messages.ts";

/** Time between the last change and the check by a worker, which keeps nothing waiting but the next check. */
const ASK_AFTER_MS = 40;
/** The same for a check in the page. */
const CHECK_AFTER_MS = 120;
/** A check of the largest document takes about a second. */
const ANSWER_WITHIN_MS = 10_000;

export interface CheckerOptions {
  readonly catalog: CatalogData;
  readonly forChecks: Catalog;
  /** Makes the worker; undefined if the page checks. */
  readonly makeWorker: (() => Worker) | undefined;
  readonly onProblems: (document: Document, problems: readonly Problem[]) => void;
}

export class Checker {
  readonly #options: CheckerOptions;
  #worker: Worker | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watchdog: ReturnType<typeof setTimeout> | undefined;
  /** Given, and not checked yet. */
  #waiting: Document | undefined;
  /** With the worker. */
  #asked: Document | undefined;
  #tookMs = 0;

  constructor(options: CheckerOptions) {
    this.#options = options;
    this.#worker = this.#start();
  }

  /** Checks a document soon, unless another one follows. */
  checkSoon(document: Document): void {
    this.#waiting = document;
    clearTimeout(this.#timer);
    const pauseMs =
      this.#worker === undefined ? Math.max(CHECK_AFTER_MS, this.#tookMs) : ASK_AFTER_MS;
    this.#timer = setTimeout(() => this.#check(), pauseMs);
  }

  /** Checks a document immediately. */
  checkNow(document: Document): void {
    this.#waiting = document;
    clearTimeout(this.#timer);
    this.#check();
  }

  /** Ends the worker. */
  close(): void {
    this.#waiting = undefined;
    clearTimeout(this.#timer);
    this.#end();
  }

  #check(): void {
    if (this.#waiting === undefined || this.#asked !== undefined) return;
    const document = this.#waiting;
    this.#waiting = undefined;
    if (this.#worker === undefined) this.#checkHere(document);
    else this.#ask(this.#worker, document);
  }

  #ask(worker: Worker, document: Document): void {
    this.#asked = document;
    this.#watchdog = setTimeout(() => this.#giveUp(), ANSWER_WITHIN_MS);
    try {
      worker.postMessage({ kind: "check", document } satisfies CheckRequest, []);
    } catch {
      this.#giveUp();
    }
  }

  #answered({ problems }: CheckAnswer): void {
    const document = this.#asked;
    clearTimeout(this.#watchdog);
    this.#asked = undefined;
    if (document !== undefined) this.#options.onProblems(document, problems);
    this.#check();
  }

  #checkHere(document: Document): void {
    const { forChecks, onProblems } = this.#options;
    const begun = performance.now();
    const { problems } = checkDocument(document, forChecks);
    this.#tookMs = performance.now() - begun;
    onProblems(document, problems);
  }

  #start(): Worker | undefined {
    const { makeWorker, catalog } = this.#options;
    try {
      const worker = makeWorker?.();
      // A policy that forbids workers fails here, or by an event, depending on the browser.
      worker?.addEventListener("error", (event) => {
        event.preventDefault();
        this.#giveUp();
      });
      worker?.addEventListener("message", ({ data }: MessageEvent<CheckAnswer>) =>
        this.#answered(data),
      );
      worker?.postMessage({ kind: "catalog", catalog } satisfies CheckRequest, []);
      return worker;
    } catch {
      return undefined;
    }
  }

  /** Continues without the worker. */
  #giveUp(): void {
    this.#end();
    this.#waiting ??= this.#asked;
    this.#asked = undefined;
    this.#check();
  }

  #end(): void {
    clearTimeout(this.#watchdog);
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}
