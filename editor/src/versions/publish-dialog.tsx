/** Publishing: what changes, which runs stay on their version, and what prevents it. */
import type { Problem } from "@oxbow/declared/check";
import { type ReactNode, useCallback, useId, useState } from "react";
import type { ListedVersion } from "../data/editor-data.ts";
import { messageOf } from "../data/message-of.ts";
import { useAnswer } from "../data/use-answer.ts";
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
  const { isFirst, published, versions, message } = usePublished();
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
        <h3>{isFirst ? "This is the first version" : "Changes"}</h3>
        {isFirst || published !== undefined || message !== undefined ? null : (
          <p aria-busy="true">Loading…</p>
        )}
        {message === undefined ? null : <p className="oxe-problem error">{message}</p>}
        {published === undefined ? null : <ChangeList from={published.document} to={document} />}
      </section>
      <Runs versions={versions ?? []} />
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

/** The published version, to compare with, and the others. */
function usePublished() {
  const { data } = useStore();
  const version = useEditor((state) => state.publishedVersion);
  const isFirst = version === undefined || data.version === undefined;
  const read = useCallback(
    () =>
      version === undefined || data.version === undefined
        ? undefined
        : Promise.all([data.version(version), data.versions?.() ?? []]),
    [data, version],
  );
  const { value: [published, versions] = [], message } = useAnswer(read);
  return { isFirst, published, versions, message };
}
