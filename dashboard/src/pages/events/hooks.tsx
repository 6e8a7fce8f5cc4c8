/** The webhooks of the published version: where senders post, and the secret that they sign with. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type Hook, hooksQuery } from "../../api/triggers.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { note } from "../../shell/notes.tsx";

export function Hooks({ name }: { readonly name: string }): ReactNode {
  const { data } = useQuery(hooksQuery(name));
  if (data === undefined || data.hooks.length === 0) return null;
  return (
    <>
      <h2>Webhooks</h2>
      <Table
        caption="Webhooks"
        columns={COLUMNS}
        rows={data.hooks}
        keyOf={({ trigger }) => trigger}
        empty={null}
      />
    </>
  );
}

/** Beneath the path of a proxy, as these pages are. */
const addressOf = ({ path }: Hook): string => new URL(`.${path}`, globalThis.location.href).href;

const VERIFICATIONS: Readonly<Record<Hook["verify"], string>> = {
  signature: "Standard Webhooks",
  github: "GitHub’s signature",
  token: "bearer token",
};

function Copy({ text, what }: { readonly text: string; readonly what: string }): ReactNode {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      note(`Copied the ${what}.`);
    } catch {
      note("The browser doesn't allow copying here: select the text instead.");
    }
  };
  return (
    <button type="button" className="quiet" onClick={() => void copy()}>
      Copy the {what}
    </button>
  );
}

function Secret({ secret }: { readonly secret: string }): ReactNode {
  const [isShown, setShown] = useState(false);
  return (
    <>
      {isShown ? <code>{secret}</code> : null}
      <button type="button" className="quiet" onClick={() => setShown(!isShown)}>
        {isShown ? "Hide" : "Show the secret"}
      </button>
      <Copy text={secret} what="secret" />
    </>
  );
}

const COLUMNS: readonly Column<Hook>[] = [
  { title: "Trigger", cell: ({ trigger }) => trigger },
  {
    title: "Address",
    kind: "long",
    cell: (hook) => (
      <>
        <code>{addressOf(hook)}</code> <Copy text={addressOf(hook)} what="address" />
      </>
    ),
  },
  { title: "Verified by", wide: true, cell: ({ verify }) => VERIFICATIONS[verify] },
  {
    title: "Secret",
    cell: ({ secrets: [current] }) =>
      current === undefined ? (
        <span className="soft">none: the server has no OXBOW_WEBHOOK_SECRETS</span>
      ) : (
        <Secret secret={current} />
      ),
  },
];
