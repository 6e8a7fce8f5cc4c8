/** The page of the support: a chat for the customer, and the requests that the shop decides. */
import type { UIMessage } from "ai";
import { type ReactNode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat.tsx";
import { Desk } from "./desk.tsx";
import "./page.css";

const RETRY_MS = 1_000;

/** In the address, so that a reload finds the chat again. */
function chatIdOf({ hash }: Location): string {
  const id = hash.slice(1) || crypto.randomUUID();
  history.replaceState(null, "", `#${id}`);
  return id;
}

const chatId = chatIdOf(location);

function App(): ReactNode {
  // The chat is read when the page is opened, and again when its connection was lost.
  const [connection, setConnection] = useState(1);
  const [read, setRead] = useState<{ connection: number; messages: UIMessage[] }>();
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readAgain = (): void => {
      void fetch(`/api/chat/${chatId}`, { signal: leaving.signal })
        .then(async (response) => {
          if (!response.ok) throw new Error(await response.text());
          setRead({ connection, messages: (await response.json()) as UIMessage[] });
        })
        .catch(() => {
          if (!leaving.signal.aborted) timer = setTimeout(readAgain, RETRY_MS);
        });
    };
    readAgain();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [connection]);
  return (
    <main>
      <h1>Lamps &amp; Co: support</h1>
      {read?.connection === connection ? null : <p role="status">Connecting…</p>}
      {read === undefined ? null : (
        <Chat
          key={read.connection}
          chatId={chatId}
          messages={read.messages}
          onLost={() => setConnection(read.connection + 1)}
        />
      )}
      <Desk />
    </main>
  );
}

const root = document.querySelector("#root");
if (root !== null) createRoot(root).render(<App />);
