/** Acme Incidents embeds the editor of its customers' workflows. */
import { Editor } from "@oxbow/editor";
import "@oxbow/editor/style.css";
import { type ReactNode, StrictMode, useMemo, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { definitionData, names } from "./definitions.ts";
import "./acme.css";

const checkWorker = (): Worker =>
  new Worker(new URL("./check-worker.ts", import.meta.url), { type: "module" });

/** The name of the definition is in the address. */
const nameInAddress = (): string => location.hash.slice(1) || (names[0] ?? "");

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

function App(): ReactNode {
  const name = useSyncExternalStore(subscribe, nameInAddress);
  const data = useMemo(() => definitionData(name), [name]);
  return (
    <>
      <header className="acme-bar">
        <h1>Acme Incidents</h1>
        <nav aria-label="Workflows">
          {names.map((each) => (
            <a key={each} href={`#${each}`} aria-current={each === name ? "page" : undefined}>
              {each}
            </a>
          ))}
        </nav>
      </header>
      <main>
        {data === undefined ? (
          <p>There is no workflow {name}.</p>
        ) : (
          <Editor key={name} data={data} checkWorker={checkWorker} />
        )}
      </main>
    </>
  );
}

const root = document.querySelector("#root");
if (root === null) throw new Error("The page has no #root.");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
