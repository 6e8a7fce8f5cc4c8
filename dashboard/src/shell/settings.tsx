import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useSyncExternalStore } from "react";
import { currentToken, forgetToken, onTokenChange } from "../api/token.ts";
import { localZone } from "../format/time.ts";
import { setPreferences, type Theme, usePreferences } from "./preferences.ts";

/** Theme, time zone and sign-out. */
export function Settings(): ReactNode {
  const { theme, zone } = usePreferences();
  const token = useSyncExternalStore(onTokenChange, currentToken);
  const queries = useQueryClient();
  return (
    <>
      <select
        aria-label="Theme"
        value={theme}
        onChange={({ target }) => setPreferences({ theme: target.value as Theme })}
      >
        <option value="system">System theme</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
      <select
        aria-label="Time zone"
        value={zone}
        onChange={({ target }) =>
          setPreferences({ zone: target.value === "UTC" ? "UTC" : "local" })
        }
      >
        <option value="local">{localZone()}</option>
        <option value="UTC">Times in UTC</option>
      </select>
      {token === null ? null : (
        <button
          type="button"
          onClick={() => {
            forgetToken();
            queries.clear();
            location.reload();
          }}
        >
          Sign out
        </button>
      )}
    </>
  );
}
