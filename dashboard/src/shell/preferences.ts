/** What the user has chosen for this browser: theme, time zone, and the columns of the list of runs. */
import { useSyncExternalStore } from "react";
import { Listeners } from "../api/listeners.ts";
import type { Zone } from "../format/time.ts";

export type Theme = "system" | "light" | "dark";

interface Preferences {
  readonly theme: Theme;
  readonly zone: Zone;
  /** Titles; undefined for the default ones. */
  readonly runColumns: readonly string[] | undefined;
}

const KEY = "oxbow-preferences";
const DEFAULTS: Preferences = { theme: "system", zone: "local", runColumns: undefined };
const changes = new Listeners();

let current = read();

function read(): Preferences {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Preferences>;
    return {
      theme: stored.theme === "light" || stored.theme === "dark" ? stored.theme : DEFAULTS.theme,
      zone: stored.zone === "UTC" ? "UTC" : DEFAULTS.zone,
      runColumns: Array.isArray(stored.runColumns) ? stored.runColumns.map(String) : undefined,
    };
  } catch {
    return DEFAULTS;
  }
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  localStorage.setItem(KEY, JSON.stringify(current));
  applyTheme();
  changes.notify();
}

/** Without the attribute, the style sheet follows the system. */
export function applyTheme(): void {
  if (current.theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = current.theme;
}

export const usePreferences = (): Preferences =>
  useSyncExternalStore(changes.subscribe, () => current);
