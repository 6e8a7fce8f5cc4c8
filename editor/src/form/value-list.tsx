/** The list of values that a picker offers: those that are guaranteed and fit, and on request the others with the reason. */
import type { ReadableValue } from "@oxbow/declared/check";
import { type ReactNode, useMemo, useState } from "react";

const MOST = 60;

export interface ValueList {
  readonly id: string;
  readonly isEmpty: boolean;
  /** Id of the element that has the virtual focus. */
  readonly activeId: string | undefined;
  readonly element: ReactNode;
  /** Handles a key; returns whether it meant the list. */
  readonly onKey: (key: string) => boolean;
}

/**
 * @param filter - Text that the path contains.
 * @param onChoose - Gets the path.
 */
export function useValueList(
  id: string,
  values: readonly ReadableValue[],
  filter: string,
  onChoose: (value: ReadableValue) => void,
): ValueList {
  const [isAll, setAll] = useState(false);
  const [chosen, setChosen] = useState(0);
  const { shown, others } = useMemo(() => {
    const text = filter.toLowerCase();
    const matching = values.filter(({ path }) => path.toLowerCase().includes(text));
    const best = matching.filter(({ isGuaranteed, fit }) => isGuaranteed && fit !== "no");
    return {
      shown: (isAll ? matching : best).slice(0, MOST),
      others: matching.length - best.length,
    };
  }, [values, filter, isAll]);
  const hasMore = !isAll && others > 0;
  const count = shown.length + (hasMore ? 1 : 0);
  const at = Math.min(chosen, Math.max(0, count - 1));
  const idOf = (index: number): string => `${id}-${index}`;
  const choose = (index: number): void => {
    const value = shown[index];
    if (value === undefined) setAll(true);
    else onChoose(value);
  };
  const element = (
    <ul role="listbox" id={id} aria-label="Values that can be read here" className="oxe-values">
      {shown.map((value, index) => (
        // The text field has the keyboard, and the pointer must not take the focus from it.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <li
          key={value.path}
          id={idOf(index)}
          role="option"
          aria-selected={index === at}
          className={value.isGuaranteed && value.fit !== "no" ? "" : "oxe-doubtful"}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => choose(index)}
        >
          <span className="oxe-value-path">{value.path}</span>
          <span className="oxe-value-type">{value.type}</span>
          {value.isGuaranteed ? null : (
            <span className="oxe-value-reason">{value.reason ?? "It may be missing."}</span>
          )}
          {value.fit === "no" ? <span className="oxe-value-reason">Another type.</span> : null}
        </li>
      ))}
      {hasMore ? (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <li
          id={idOf(shown.length)}
          role="option"
          aria-selected={at === shown.length}
          className="oxe-more"
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => setAll(true)}
        >
          {others} more that may be missing or have another type
        </li>
      ) : null}
    </ul>
  );
  return {
    id,
    isEmpty: count === 0,
    activeId: count === 0 ? undefined : idOf(at),
    element,
    onKey: (key) => {
      if (key === "ArrowDown") setChosen(Math.min(count - 1, at + 1));
      else if (key === "ArrowUp") setChosen(Math.max(0, at - 1));
      else if (key === "Enter" && count > 0) choose(at);
      else return false;
      return true;
    },
  };
}
