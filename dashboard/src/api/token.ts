/**
 * The token of this tab, kept until the tab is closed. Requests that were refused wait until the user has entered
 * another one; however many wait, the user is asked once.
 */
import { Listeners } from "./listeners.ts";

const KEY = "oxbow-token";

interface Asking {
  readonly reason: string;
  readonly answered: Promise<void>;
  readonly answer: () => void;
}

/** Where a request had neither a token nor a session. */
export const ASKS_FOR_TOKEN = "This server asks for a token.";

let asking: Asking | undefined;
const changes = new Listeners();

export const currentToken = (): string | null => sessionStorage.getItem(KEY);

/** Resolves when the user has entered a token. */
export function askForToken(reason: string): Promise<void> {
  if (asking === undefined) {
    let answer: (() => void) | undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    asking = { reason, answered, answer: () => answer?.() };
    changes.notify();
  }
  return asking.answered;
}

/** Why a token is needed; undefined otherwise. */
export const reasonToAsk = (): string | undefined => asking?.reason;

export function enterToken(token: string): void {
  sessionStorage.setItem(KEY, token.trim());
  const waiting = asking;
  asking = undefined;
  waiting?.answer();
  changes.notify();
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
  changes.notify();
}

export const onTokenChange = changes.subscribe;
