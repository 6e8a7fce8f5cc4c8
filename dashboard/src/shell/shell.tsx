/** What surrounds each page: navigation, settings, the command palette, and what must not be overlooked. */
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import icon from "../icon.svg";
import { CommandPalette } from "./command-palette.tsx";
import { IncarnationBanner } from "./incarnation-banner.tsx";
import { Notes } from "./notes.tsx";
import { ShardsBanner } from "./shards-banner.tsx";
import { useSections } from "./sections.ts";
import { Settings } from "./settings.tsx";
import { SignIn } from "./sign-in.tsx";

export function Shell(): ReactNode {
  const [isSearching, setSearching] = useState(false);
  const main = useFocusOnNewPage();
  const sections = useSections();
  const navigation = useCurrentInView(sections.length);
  useShortcut(() => setSearching(true));
  return (
    <div className="shell">
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          // The address is behind the "#".
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <header>
        <Link to="/" className="brand">
          <img src={icon} alt="" width="24" height="24" /> Oxbow
        </Link>
        <nav aria-label="Main" ref={navigation}>
          {sections.map(({ to, title }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: to === "/", includeSearch: false }}
              activeProps={{ "aria-current": "page" }}
            >
              {title}
            </Link>
          ))}
        </nav>
        <div className="tools">
          <button type="button" className="search" onClick={() => setSearching(true)}>
            Go to… <kbd>Ctrl K</kbd>
          </button>
          <Settings />
        </div>
      </header>
      <div className="body">
        <IncarnationBanner />
        <ShardsBanner />
        <main ref={main} id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Notes />
      <SignIn />
      <CommandPalette isOpen={isSearching} onClose={() => setSearching(false)} />
    </div>
  );
}

/** Moves the focus to a new page, so that screen readers announce it; not to the first one. */
function useFocusOnNewPage(): React.RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const shown = useRef<string>(undefined);
  useEffect(() => {
    if (path === undefined) return;
    if (shown.current !== undefined && shown.current !== path) main.current?.focus();
    shown.current = path;
  }, [path]);
  return main;
}

/** On phones, the sections are a row that scrolls by itself: it shows the current one. */
function useCurrentInView(sections: number): React.RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const place = `${path} ${sections}`;
  const shown = useRef<string>(undefined);
  useEffect(() => {
    if (shown.current === place) return;
    shown.current = place;
    const current = row.current?.querySelector<HTMLElement>("[aria-current=page]");
    if (row.current === null || current === null || current === undefined) return;
    const middle = current.offsetLeft - row.current.offsetLeft + current.offsetWidth / 2;
    row.current.scrollTo({ left: middle - row.current.clientWidth / 2 });
  }, [place]);
  return row;
}

function useShortcut(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}
