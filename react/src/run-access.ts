"use client";
/** Where a page reads runs from, and by which tokens: given to each hook, or once to all of them. */
import { createContext, createElement, type ReactElement, type ReactNode, useContext } from "react";

/** The server of a hook, and its token. An absent one is that of the `<OxbowProvider>` around it. */
export interface RunAccess {
  /** Url of the Oxbow server. */
  readonly url?: string | undefined;
  /**
   * A run token, or a function that gets one from the application. It is called for each connection, so again when a token
   * has expired; it may be a new function in each rendering.
   */
  readonly token?: string | ((runId: string) => string | Promise<string>) | undefined;
}

export interface OxbowProviderProps extends RunAccess {
  readonly children?: ReactNode;
}

const Access = createContext<RunAccess>({});

/**
 * Gives `url` and `token` to all hooks and components of `@oxbow/react` inside it.
 *
 * @example
 * <OxbowProvider url="https://oxbow.example.com" token={(runId) => getToken(runId)}>
 *   <RunProgress runId={runId} />
 * </OxbowProvider>
 */
export function OxbowProvider({ url, token, children }: OxbowProviderProps): ReactElement {
  const value = useAccess({ url, token });
  return createElement(Access.Provider, { value }, children);
}

/** The access of a hook, with what the provider adds. */
export function useAccess({ url, token }: RunAccess): RunAccess {
  const outer = useContext(Access);
  return { url: url ?? outer.url, token: token ?? outer.token };
}

/** @throws Error naming what is missing. */
export function requireAccess(
  { url, token }: RunAccess,
  hook: string,
): { readonly url: string; readonly token: NonNullable<RunAccess["token"]> } {
  if (url !== undefined && token !== undefined) return { url, token };
  const missing = url === undefined ? "url" : "token";
  throw new Error(
    `${hook} has no \`${missing}\`: pass it as an option, or give it to an <OxbowProvider> around the component.`,
  );
}
