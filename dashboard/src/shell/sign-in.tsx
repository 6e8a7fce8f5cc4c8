import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useSyncExternalStore } from "react";
import { signInWaysQuery } from "../api/session.ts";
import { ASKS_FOR_TOKEN, enterToken, onTokenChange, reasonToAsk } from "../api/token.ts";
import { Dialog } from "../parts/dialog.tsx";
import { InputField } from "../parts/field.tsx";
import { textOf } from "../parts/form-dialog.tsx";

/** Asks for a token, or leads to the provider of OpenID Connect, when a request needs one. */
export function SignIn(): ReactNode {
  const reason = useSyncExternalStore(onTokenChange, reasonToAsk);
  const queries = useQueryClient();
  const ways = useQuery({ ...signInWaysQuery, enabled: reason !== undefined });
  const provider = ways.data?.openIdConnect ?? null;
  return (
    <Dialog title="Sign in" isOpen={reason !== undefined} onClose={() => {}}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const token = textOf(new FormData(event.currentTarget), "token");
          if (token === undefined) return;
          enterToken(token);
          void queries.invalidateQueries();
        }}
      >
        {reason === ASKS_FOR_TOKEN ? (
          <p>{provider === null ? reason : "This server asks who you are."}</p>
        ) : (
          <p className="problem" role="alert">
            {reason}
          </p>
        )}
        {provider === null ? (
          <TokenFields />
        ) : (
          <>
            <p>
              <a className="button primary" href={addressOf(provider.url)} ref={focus}>
                Sign in with {provider.name}
              </a>
            </p>
            <details>
              <summary>Use a token</summary>
              <TokenFields />
            </details>
          </>
        )}
      </form>
    </Dialog>
  );
}

/** The provider is known when the dialog is open. */
const focus = (element: HTMLElement | null): void => element?.focus();

const TokenFields = (): ReactNode => (
  <>
    <InputField
      label="Token"
      hint="One of OXBOW_TOKENS. It is kept in this tab until you close it."
      name="token"
      type="password"
      autoComplete="off"
      spellCheck={false}
      required
    />
    <div className="buttons end">
      <button type="submit" className="primary">
        Continue
      </button>
    </div>
  </>
);

/** The sign-in leads back to the page that the user sees. */
const addressOf = (url: string): string =>
  `${url}?${new URLSearchParams({ return: location.hash.slice(1) || "/" }).toString()}`;
