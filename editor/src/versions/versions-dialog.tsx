/** The versions: two of them compared on a canvas and as text, and an earlier one restored. */
import type { Document } from "@oxbow/declared/check";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import type { ListedVersion } from "../data/editor-data.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Dialog } from "../shell/dialog.tsx";
import { useEditor, useStore } from "../state/use-editor.ts";
import { ChangeList } from "./change-list.tsx";
import { differenceOf } from "./difference.ts";
import { DocumentView } from "./document-view.tsx";

/** A version, or the draft. */
type Side = number | "draft";

export function VersionsDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const store = useStore();
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const { data } = store;
  const { value: versions, message } = useAnswer(useCallback(() => data.versions?.(), [data]));
  const [picked, setFrom] = useState<Side>();
  const from = picked ?? versions?.[0]?.version;
  const [to, setTo] = useState<Side>("draft");
  const old = useDocument(from);
  const current = useDocument(to);
  const restore = (document: Document): void => {
    store.changeDocument(() => document, { select: [] });
    store.notify("The version is the draft again. Publish it to use it for new runs.");
    onClose();
  };
  return (
    <Dialog title="Versions" isWide onClose={onClose}>
      {message === undefined ? null : <p className="oxe-problem error">{message}</p>}
      {versions === undefined && message === undefined ? <p aria-busy="true">Loading…</p> : null}
      {versions?.length === 0 ? (
        <p>Nothing is published yet. A version is a draft that you publish; it never changes.</p>
      ) : null}
      {versions === undefined || versions.length === 0 ? null : (
        <>
          <div className="oxe-compare">
            <Choice label="From" value={from} versions={versions} onChange={setFrom} />
            <Choice label="To" value={to} versions={versions} onChange={setTo} />
            <span className="oxe-space" />
            {isReadOnly || from === undefined || from === "draft" || old === undefined ? null : (
              <button type="button" onClick={() => restore(old)}>
                Restore version {from}
              </button>
            )}
          </div>
          {old === undefined || current === undefined ? (
            <p aria-busy="true">Loading…</p>
          ) : (
            <Comparison from={old} to={current} />
          )}
        </>
      )}
    </Dialog>
  );
}

function Comparison({ from, to }: { readonly from: Document; readonly to: Document }): ReactNode {
  const positions = useEditor(({ drawing }) => drawing.positions);
  const { document, marks } = useMemo(() => differenceOf(from, to), [from, to]);
  return (
    <div className="oxe-comparison">
      <div className="oxe-comparison-canvas">
        <DocumentView document={document} positions={positions} marks={marks} />
      </div>
      <ChangeList from={from} to={to} />
    </div>
  );
}

function Choice({
  label,
  value,
  versions,
  onChange,
}: {
  readonly label: string;
  readonly value: Side | undefined;
  readonly versions: readonly ListedVersion[];
  readonly onChange: (side: Side) => void;
}): ReactNode {
  return (
    <label className="oxe-inline">
      {label}
      <select
        value={value}
        onChange={({ target }) =>
          onChange(target.value === "draft" ? "draft" : Number(target.value))
        }
      >
        <option value="draft">The draft</option>
        {versions.map(({ version, isPublished, at, by, note }) => (
          <option key={version} value={version}>
            {`Version ${version}${isPublished ? ", published" : ""}, ${at.toLocaleString()}`}
            {by === undefined ? "" : ` by ${by}`}
            {note === undefined ? "" : `: ${note}`}
          </option>
        ))}
      </select>
    </label>
  );
}

function useDocument(side: Side | undefined): Document | undefined {
  const { data } = useStore();
  const draft = useEditor(({ drawing }) => drawing.document);
  // If it can't be read, the list of versions stays, so that another one can be chosen.
  const { value: version } = useAnswer(
    useCallback(() => (typeof side === "number" ? data.version?.(side) : undefined), [data, side]),
  );
  return side === "draft" ? draft : version?.document;
}
