/** Publishing: what changes, which runs stay on their version, and what prevents it. */
import type { Document, Problem } from "@oxbow/declared/check";
import { type ReactNode, useEffect, useId, useState } from "react";
import { messageOf } from "../data/message-of.ts";
import type { ListedVersion } from "../data/editor-data.ts";
import { titleOf } from "../document/connections.ts";
import { sentence } from "../problems/field-problems.tsx";
import { Dialog } from "../shell/dialog.tsx";
import { useEditor, useStore } from "../state/use-editor.ts";
import { ChangeList } from "./change-list.tsx";

export function PublishDialog({
  onClose,
  onPublished,
  onShow,
}: {
  readonly onClose: () => void;
  readonly onPublished: ((version: number) => void) | undefined;
  readonly onShow: (problem: Problem) => void;
}): ReactNode {
  const store = useStore();
  const id = useId();
  const document = useEditor(({ drawing }) => drawing.document);
  const found = useEditor((state) => state.problems);
  const published = usePublished();
  const [note, setNote] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const [refused, setRefused] = useState<readonly Problem[]>([]);
  const errors = [...found, ...refused].filter(({ severity }) => severity === "error");
  const publish = async (): Promise<void> => {
    setBusy(true);
    setRefusal(undefined);
    try {
      await store.flush();
      if (store.state.save.kind !== "saved") {
        setRefusal("The draft isn't saved. Save it first.");
        return;
      }
      const answer = await store.data.publish?.({
        revision: store.revision,
        ...(note === "" ? {} : { note }),
      });
      if (answer?.kind === "published") {
        store.published(answer.version);
        store.notify(`Version ${answer.version} is published.`);
        onPublished?.(answer.version);
        onClose();
      } else if (answer?.kind === "invalid") setRefused(answer.problems);
      else setRefusal("The draft was changed elsewhere. Look at the changes, and publish again.");
    } catch (error) {
      setRefusal(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title="Publish" isWide onClose={onClose}>
      {errors.length === 0 ? null : (
        <section className="oxe-refused">
          <p>
            {errors.length === 1 ? "An error prevents" : `${errors.length} errors prevent`}{" "}
            publishing:
          </p>
          <ul>
            {errors.map((problem) => (
              <li key={`${problem.code} ${problem.pointer} ${problem.message}`}>
                <button type="button" className="oxe-link" onClick={() => onShow(problem)}>
                  {problem.node === undefined ? "Workflow" : titleOf(document, problem.node)}
                </button>
                : {sentence(problem.message)}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h3>{published.kind === "first" ? "This is the first version" : "Changes"}</h3>
        {published.kind === "loading" ? <p aria-busy="true">Loading…</p> : null}
        {published.kind === "failed" ? (
          <p className="oxe-problem error">{published.message}</p>
        ) : null}
        {published.kind === "found" ? <ChangeList from={published.document} to={document} /> : null}
      </section>
      <Runs versions={published.kind === "found" ? published.versions : []} />
      <label className="oxe-label" htmlFor={id}>
        Note
      </label>
      <input
        id={id}
        placeholder="The reason for this version"
        value={note}
        onChange={({ target }) => setNote(target.value)}
      />
      {refusal === undefined ? null : (
        <p className="oxe-problem error" role="alert">
          {refusal}
        </p>
      )}
      <footer>
        <button type="button" onClick={onClose}>
          Close
        </button>
        <button
          type="button"
          className="oxe-primary"
          disabled={errors.length > 0 || isBusy}
          onClick={() => void publish()}
        >
          Publish
        </button>
      </footer>
    </Dialog>
  );
}

function Runs({ versions }: { readonly versions: readonly ListedVersion[] }): ReactNode {
  const open = versions.filter(({ openRuns = 0 }) => openRuns > 0);
  return (
    <p className="oxe-hint">
      Runs in flight stay on their version; new ones use the one that you publish.
      {open.map(({ version, openRuns = 0 }) => (
        <span key={version}>
          {" "}
          {openRuns} {openRuns === 1 ? "run stays" : "runs stay"} on version {version}.
        </span>
      ))}
    </p>
  );
}

type Published =
  | { readonly kind: "loading" | "first" }
  | { readonly kind: "failed"; readonly message: string }
  | {
      readonly kind: "found";
      readonly document: Document;
      readonly versions: readonly ListedVersion[];
    };

/** The published version, to compare with. */
function usePublished(): Published {
  const { data } = useStore();
  const version = useEditor((state) => state.publishedVersion);
  const [published, setPublished] = useState<Published>({ kind: "loading" });
  useEffect(() => {
    let isCurrent = true;
    const set = (next: Published): void => {
      if (isCurrent) setPublished(next);
    };
    if (version === undefined || data.version === undefined) set({ kind: "first" });
    else {
      Promise.all([data.version(version), data.versions?.() ?? []]).then(
        ([{ document }, versions]) => set({ kind: "found", document, versions }),
        (error: unknown) => set({ kind: "failed", message: messageOf(error) }),
      );
    }
    return () => {
      isCurrent = false;
    };
  }, [data, version]);
  return published;
}
