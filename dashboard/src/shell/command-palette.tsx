/** The command palette: pages, workflows, runs by id, and settings, by name. */
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { workflowsQuery } from "../api/workflows.ts";
import { Dialog } from "../parts/dialog.tsx";
import { setPreferences } from "./preferences.ts";
import { useSections } from "./sections.ts";

interface Command {
  readonly title: string;
  readonly act: () => void;
}

const MOST_SHOWN = 12;

export function CommandPalette({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <Dialog title="Go to" isOpen={isOpen} onClose={onClose}>
      <Commands onDone={onClose} />
    </Dialog>
  );
}

function Commands({ onDone }: { onDone: () => void }): ReactNode {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const listId = useId();
  const found = useCommands(text);
  const chosen = Math.min(at, found.length - 1);
  const act = (command: Command | undefined): void => {
    if (command === undefined) return;
    onDone();
    command.act();
  };
  const onKey = (event: KeyboardEvent): void => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined && found.length > 0) {
      event.preventDefault();
      setAt((chosen + move + found.length) % found.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      act(found[chosen]);
    }
  };
  return (
    <>
      <input
        className="palette-input"
        role="combobox"
        aria-label="Page, workflow, run id or setting"
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `${listId}-${chosen}` : undefined}
        placeholder="Page, workflow, run id or setting"
        autoComplete="off"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <div className="palette" role="listbox" id={listId} aria-label="Commands">
        {found.map((command, index) => (
          // The input keeps the focus, and has the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={command.title}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => act(command)}
          >
            {command.title}
          </div>
        ))}
      </div>
      {found.length === 0 ? <p className="soft">Nothing has this name.</p> : null}
    </>
  );
}

function useCommands(text: string): readonly Command[] {
  const router = useRouter();
  const { data } = useQuery(workflowsQuery);
  const sections = useSections();
  const wanted = text.trim().toLowerCase();
  const commands: Command[] = [
    ...(/^\d{1,18}$/.test(wanted)
      ? [
          {
            title: `Run ${wanted}`,
            act: () => void router.navigate({ to: "/runs/$runId", params: { runId: wanted } }),
          },
        ]
      : []),
    ...sections.map(({ to, title }) => ({ title, act: () => void router.navigate({ to }) })),
    ...(data?.workflows ?? []).map(({ name }) => ({
      title: `Runs of ${name}`,
      act: () => void router.navigate({ to: "/runs", search: { workflow: name } }),
    })),
    ...(sections.some(({ to }) => to === "/approvals")
      ? [
          {
            title: "Approvals that I may decide",
            act: () => void router.navigate({ to: "/approvals", search: { mine: true } }),
          },
        ]
      : []),
    {
      title: "Failed runs",
      act: () => void router.navigate({ to: "/runs", search: { status: "failed" } }),
    },
    { title: "Light theme", act: () => setPreferences({ theme: "light" }) },
    { title: "Dark theme", act: () => setPreferences({ theme: "dark" }) },
    { title: "Times in UTC", act: () => setPreferences({ zone: "UTC" }) },
    { title: "Times in the local zone", act: () => setPreferences({ zone: "local" }) },
  ];
  return commands.filter(({ title }) => title.toLowerCase().includes(wanted)).slice(0, MOST_SHOWN);
}
