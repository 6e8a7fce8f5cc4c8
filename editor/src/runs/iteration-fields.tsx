/** The choice of an iteration for each loop of a run. */
import { type ReactNode, useId, useMemo, useState } from "react";
import { messageOf } from "../data/message-of.ts";
import type { RunProgress } from "../data/editor-data.ts";
import { useStore } from "../state/use-editor.ts";
import {
  type ChosenIterations,
  isIn,
  type Iterations,
  iterationsOf,
  pathOf,
} from "./iterations.ts";

export function IterationFields({
  runId,
  progress,
  chosen,
  onChoose,
  onShowRun,
}: {
  readonly runId: string;
  readonly progress: RunProgress;
  readonly chosen: ChosenIterations;
  readonly onChoose: (chosen: ChosenIterations) => void;
  readonly onShowRun: (runId: string) => void;
}): ReactNode {
  const { document, nodes } = progress;
  const known = useMemo(() => iterationsOf(nodes), [nodes]);
  const loops = Object.keys(document.nodes).flatMap((id) => {
    // A loop in a loop is shown once an iteration of the outer one is chosen.
    const path = pathOf(document, id, chosen);
    const iterations = path === undefined ? undefined : known.get(path);
    return path === undefined || iterations === undefined ? [] : [{ id, path, iterations }];
  });
  if (loops.length === 0) return null;
  const choose = (id: string, index: number | undefined): void => {
    // Another iteration of the outer loop has other iterations of the inner one.
    const kept = [...chosen].filter(([loop]) => loop !== id && !isIn(document, loop, id));
    onChoose(new Map(index === undefined ? kept : [...kept, [id, index]]));
  };
  return (
    <div className="oxe-iterations">
      {loops.map(({ id, path, iterations }) => {
        const index = chosen.get(id);
        const isRun = index !== undefined && iterations.runs !== undefined;
        return (
          <OneLoop
            key={id}
            title={document.nodes[id]?.title ?? id}
            iterations={iterations}
            index={index}
            onChoose={(wanted) => choose(id, wanted)}
          >
            {isRun ? (
              <ItemRun
                key={`${path}.${index}`}
                runId={runId}
                path={`${path}.${index}`}
                onShow={onShowRun}
              />
            ) : null}
          </OneLoop>
        );
      })}
    </div>
  );
}

function OneLoop({
  title,
  iterations: { count, failed, runs },
  index,
  onChoose,
  children,
}: {
  readonly title: string;
  readonly iterations: Iterations;
  readonly index: number | undefined;
  readonly onChoose: (index: number | undefined) => void;
  readonly children: ReactNode;
}): ReactNode {
  const id = useId();
  const nextFailed = failed.find((each) => index === undefined || each > index) ?? failed[0];
  return (
    <div className="oxe-inline">
      <label htmlFor={id}>Iteration of {title}</label>
      <input
        id={id}
        type="number"
        min={0}
        max={count - 1}
        placeholder="all"
        aria-describedby={`${id}-count`}
        value={index ?? ""}
        onChange={({ target }) => {
          const wanted = target.valueAsNumber;
          if (target.value === "") onChoose(undefined);
          else if (Number.isInteger(wanted) && wanted >= 0 && wanted < count) onChoose(wanted);
        }}
      />
      <span id={`${id}-count`} className="oxe-hint">
        {count === 1 ? "only 0" : `0 to ${count - 1}`}
        {runs !== undefined
          ? `, ${countsOf(runs)}`
          : failed.length === 0
            ? ""
            : `, ${failed.length} failed`}
      </span>
      {nextFailed === undefined ? null : (
        <button type="button" disabled={nextFailed === index} onClick={() => onChoose(nextFailed)}>
          Next that failed
        </button>
      )}
      {index === undefined ? null : (
        <button type="button" className="oxe-quiet" onClick={() => onChoose(undefined)}>
          All
        </button>
      )}
      {children}
    </div>
  );
}

const countsOf = (runs: NonNullable<Iterations["runs"]>): string =>
  Object.entries(runs)
    .map(([state, count]) => `${count} ${state}`)
    .join(", ");

/** Leads to the child run that an iteration is. */
function ItemRun({
  runId,
  path,
  onShow,
}: {
  readonly runId: string;
  readonly path: string;
  readonly onShow: (runId: string) => void;
}): ReactNode {
  const { data } = useStore();
  const [message, setMessage] = useState<string>();
  const { itemRun } = data;
  if (itemRun === undefined) return null;
  const show = (): void => {
    itemRun(runId, path).then(
      (found) => {
        if (found === undefined) setMessage("Its run was deleted.");
        else onShow(found);
      },
      (error: unknown) => setMessage(messageOf(error)),
    );
  };
  return (
    <>
      <button type="button" onClick={show}>
        Show its run
      </button>
      {message === undefined ? null : <span className="oxe-problem error">{message}</span>}
    </>
  );
}
