/** What Node offers a program, and browsers and edge runtimes may lack. */
const host = (globalThis as { readonly process?: Partial<NodeJS.Process> }).process;

/** The variables of the environment; empty where there is none. */
export const environment = (): Readonly<Record<string, string | undefined>> => host?.env ?? {};

/**
 * Whether `next build` evaluates the modules of an application. It calls nothing, and often lacks the variables of
 * production.
 */
export const isNextBuild = (): boolean => environment()["NEXT_PHASE"] === "phase-production-build";

/** Undefined where there are no folders. */
export const workingFolder = (): string | undefined => host?.cwd?.();

/** A warning of the process, or on the console. */
export function warn(warning: string | Error): void {
  // oxlint-disable-next-line no-console -- the only log of a browser
  if (host?.emitWarning === undefined) console.warn(warning);
  else if (warning instanceof Error) host.emitWarning(warning);
  else host.emitWarning(warning, "OxbowWarning");
}

/** Lets the process end before the timer, where timers keep it alive. */
export function unref<Timer extends NodeJS.Timeout>(timer: Timer): Timer {
  // A number, outside of Node.
  (timer as Partial<Timer>).unref?.();
  return timer;
}
