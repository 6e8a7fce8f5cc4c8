import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useSyncExternalStore } from "react";
import { sessionQuery, signOut } from "../api/session.ts";
import { currentToken, forgetToken, onTokenChange } from "../api/token.ts";
import { localZone } from "../format/time.ts";
import { attempt } from "./notes.tsx";
import { setPreferences, type Theme, usePreferences } from "./preferences.ts";

/** Theme, time zone and sign-out. */
export function Settings(): ReactNode {
  const { theme, zone } = usePreferences();
  const token = useSyncExternalStore(onTokenChange, currentToken);
  const { data: session } = useQuery(sessionQuery);
  const isUser = token === null && session?.kind === "user";
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
      {session === undefined || session.actor === null ? null : (
        <span className="actor" title={`Scopes: ${session.scopes.join(", ")}`}>
          {session.actor}
        </span>
      )}
      {isUser || token !== null ? <SignOut isUser={isUser} /> : null}
    </>
  );
}

function SignOut({ isUser }: { isUser: boolean }): ReactNode {
  const queries = useQueryClient();
  const leave = async (): Promise<void> => {
    const url = isUser ? (await signOut()).signOutUrl : null;
    forgetToken();
    queries.clear();
    if (url === null) location.reload();
    else location.assign(url);
  };
  return (
    <button type="button" onClick={() => void attempt("sign out", leave)}>
      Sign out
    </button>
  );
}
