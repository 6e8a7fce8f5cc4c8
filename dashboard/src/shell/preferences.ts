/** What the user has chosen for this browser: theme and time zone. */
import { useSyncExternalStore } from "react";
import type { Zone } from "../format/time.ts";

export type Theme = "system" | "light" | "dark";

interface Preferences {
  readonly theme: Theme;
  readonly zone: Zone;
}

const KEY = "oxbow-preferences";
const DEFAULTS: Preferences = { theme: "system", zone: "local" };
const listeners = new Set<() => void>();

let current = read();

function read(): Preferences {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Preferences>;
    return {
      theme: stored.theme === "light" || stored.theme === "dark" ? stored.theme : DEFAULTS.theme,
      zone: stored.zone === "UTC" ? "UTC" : DEFAULTS.zone,
    };
  } catch {
    return DEFAULTS;
  }
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  localStorage.setItem(KEY, JSON.stringify(current));
  applyTheme();
  for (const listener of listeners) listener();
}

/** Without the attribute, the style sheet follows the system. */
export function applyTheme(): void {
  if (current.theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = current.theme;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, () => current);
