/** Acme Incidents embeds the editor of its customers' workflows, and the field for the condition of a policy. */
import { Editor } from "@oxbow/editor";
import "@oxbow/editor/style.css";
import { type ReactNode, StrictMode, useMemo, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { definitionData, names } from "./definitions.ts";
import { Policy } from "./policy.tsx";
import "./acme.css";

const checkWorker = (): Worker =>
  new Worker(new URL("./check-worker.ts", import.meta.url), { type: "module" });

const POLICY = "paging-policy";
/** The same for users who may not change it. */
const POLICY_SHOWN = "paging-policy/shown";

/** The name of the definition is in the address. */
const nameInAddress = (): string => location.hash.slice(1) || (names[0] ?? "");

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

function App(): ReactNode {
  const name = useSyncExternalStore(subscribe, nameInAddress);
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
        <nav aria-label="Settings">
          <a href={`#${POLICY}`} aria-current={name === POLICY ? "page" : undefined}>
            {POLICY}
          </a>
        </nav>
      </header>
      <main>
        {name === POLICY || name === POLICY_SHOWN ? (
          <Policy key={name} mayEdit={name === POLICY} />
        ) : (
          <Workflow name={name} />
        )}
      </main>
    </>
  );
}

function Workflow({ name }: { readonly name: string }): ReactNode {
  const data = useMemo(() => definitionData(name), [name]);
  return data === undefined ? (
    <p>There is no workflow {name}.</p>
  ) : (
    <Editor key={name} data={data} checkWorker={checkWorker} />
  );
}

const root = document.querySelector("#root");
if (root === null) throw new Error("The page has no #root.");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
