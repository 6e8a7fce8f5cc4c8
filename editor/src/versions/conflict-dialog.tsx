/** What two people changed differently: for each part, mine or theirs. */
import type { Document, Json } from "@oxbow/declared/check";
import { type ReactNode, useState } from "react";
import { titleOf } from "../document/connections.ts";
import type { Conflict, Side } from "../document/merge.ts";
import { Dialog } from "../shell/dialog.tsx";
import type { SaveState } from "../state/autosave.ts";
import { useEditor, useStore } from "../state/use-editor.ts";
import { changesOf, ValueText } from "./change-list.tsx";

const keyOf = ({ kind, name }: Conflict): string => `${kind} ${name}`;

export function ConflictDialog({
  conflict,
}: {
  readonly conflict: Extract<SaveState, { readonly kind: "conflict" }>;
}): ReactNode {
  const store = useStore();
  const document = useEditor(({ drawing }) => drawing.document);
  const { merge, by } = conflict;
  const [choices, setChoices] = useState<ReadonlyMap<string, Side>>(new Map());
  const choiceOf = (each: Conflict): Side => choices.get(keyOf(each)) ?? "mine";
  const choose = (each: Conflict, side: Side): void =>
    setChoices(new Map([...choices, [keyOf(each), side]]));
  const finish = (): void => store.resolveConflict(merge.resolve(choiceOf));
  return (
    <Dialog title="Changed elsewhere" isWide onClose={finish}>
      <p>
        {by ?? "Someone else"} changed{" "}
        {merge.conflicts.length === 1 ? "a part" : `${merge.conflicts.length} parts`} that you
        changed too. Everything else has been merged. Choose what to keep:
      </p>
      {merge.conflicts.map((each) => (
        <fieldset key={keyOf(each)} className="oxe-conflict">
          <legend>{nameOf(document, each)}</legend>
          <div className="oxe-sides">
            {(["mine", "theirs"] as const).map((side) => (
              <label key={side} className={choiceOf(each) === side ? "chosen" : ""}>
                <span className="oxe-side-head">
                  <input
                    type="radio"
                    name={keyOf(each)}
                    checked={choiceOf(each) === side}
                    onChange={() => choose(each, side)}
                  />
                  {side === "mine" ? "Mine" : "Theirs"}
                </span>
                <Changes value={each[side]} other={each[side === "mine" ? "theirs" : "mine"]} />
              </label>
            ))}
          </div>
        </fieldset>
      ))}
      <footer>
        <button type="button" className="oxe-primary" onClick={finish}>
          Keep these
        </button>
      </footer>
    </Dialog>
  );
}

/** The members of a side that differ from the other. */
function Changes({
  value,
  other,
}: {
  readonly value: Json | undefined;
  readonly other: Json | undefined;
}): ReactNode {
  if (value === undefined) return <p className="oxe-removed">Removed</p>;
  const rows = changesOf(other, value);
  return (
    <dl className="oxe-changes">
      {rows.map(({ place, to }) => (
        <div key={place}>
          {place === "" ? null : <dt>{place}</dt>}
          <dd>{to === undefined ? <em>nothing</em> : <ValueText value={to} />}</dd>
        </div>
      ))}
    </dl>
  );
}

function nameOf(document: Document, { kind, name }: Conflict): string {
  if (kind === "node") return `Step ${titleOf(document, name)}`;
  return kind === "trigger" ? `Trigger ${name}` : `The ${name} of the workflow`;
}
