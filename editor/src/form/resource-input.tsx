/** A thing of the user's domain, found by its title, or entered by its id. */
import { type ReactNode, useCallback, useEffect, useId, useState } from "react";
import { messageOf } from "../data/message-of.ts";
import type { ResourceOption } from "../data/catalog-data.ts";
import type { FindResources } from "../data/editor-data.ts";
import { useAnswer } from "../data/use-answer.ts";
import { useStore } from "../state/use-editor.ts";
import type { AriaAttributes } from "./nested-field.ts";

const ASK_AFTER_MS = 150;

interface Resource {
  readonly type: string;
  readonly id: string;
}

export function ResourceInput({
  type: wanted,
  value,
  onChange,
  aria,
}: {
  /** Undefined if any type is accepted. */
  readonly type: string | undefined;
  readonly value: Resource | undefined;
  readonly onChange: (resource: Resource | undefined) => void;
  readonly aria: AriaAttributes;
}): ReactNode {
  const { catalog, data } = useStore();
  const types = catalog.data.resourceTypes ?? [];
  const [chosenType, setChosenType] = useState(wanted ?? value?.type ?? types[0]?.type ?? "");
  const type = wanted ?? chosenType;
  const isListed = types.find((each) => each.type === type)?.isListed !== false;
  return (
    <div className="oxe-resource">
      {wanted === undefined ? (
        <select
          aria-label={`Type of ${aria["aria-label"]}`}
          value={type}
          onChange={({ target }) => {
            setChosenType(target.value);
            onChange(undefined);
          }}
        >
          {types.map((each) => (
            <option key={each.type} value={each.type}>
              {each.title ?? each.type}
            </option>
          ))}
        </select>
      ) : null}
      {data.findResources === undefined || !isListed ? (
        <input
          {...aria}
          placeholder={`Id of the ${type}`}
          value={value?.id ?? ""}
          onChange={({ target }) =>
            onChange(target.value === "" ? undefined : { type, id: target.value })
          }
        />
      ) : (
        <Search
          key={type}
          find={data.findResources}
          type={type}
          value={value}
          onChange={onChange}
          aria={aria}
        />
      )}
    </div>
  );
}

function Search({
  find,
  type,
  value,
  onChange,
  aria,
}: {
  readonly find: FindResources;
  readonly type: string;
  readonly value: Resource | undefined;
  readonly onChange: (resource: Resource | undefined) => void;
  readonly aria: AriaAttributes;
}): ReactNode {
  const id = useId();
  const [text, setText] = useState<string>();
  const [at, setAt] = useState(0);
  const title = useTitle(find, type, value?.id);
  const isOpen = text !== undefined;
  const { options, error } = useOptions(find, type, text);
  const choose = (option: ResourceOption | undefined): void => {
    if (option === undefined) return;
    onChange({ type, id: option.id });
    setText(undefined);
  };
  const active = options[Math.min(at, options.length - 1)];
  const isShown = isOpen && options.length > 0;
  return (
    <div className="oxe-reference">
      <input
        role="combobox"
        {...aria}
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && active !== undefined ? `${id}-${active.id}` : undefined}
        placeholder={`Find a ${type}`}
        autoComplete="off"
        value={text ?? title ?? value?.id ?? ""}
        onFocus={() => setText("")}
        onBlur={() => setText(undefined)}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt(Math.min(options.length - 1, at + 1));
          else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
          else if (event.key === "Enter" && isShown) choose(active);
          else if (event.key === "Escape" && isOpen) {
            event.stopPropagation();
            setText(undefined);
          } else return;
          event.preventDefault();
        }}
      />
      {isShown ? (
        <ul role="listbox" id={`${id}-list`} aria-label={aria["aria-label"]} className="oxe-values">
          {options.map((option) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
            <li
              key={option.id}
              id={`${id}-${option.id}`}
              role="option"
              aria-selected={option === active}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(option)}
            >
              {option.title} <span className="oxe-value-type">{option.id}</span>
            </li>
          ))}
        </ul>
      ) : null}
      {isOpen && error !== undefined ? (
        <p className="oxe-hint" role="status">
          {error}
        </p>
      ) : null}
    </div>
  );
}

interface Answer {
  /** For which it was found. */
  readonly text: string;
  readonly options: readonly ResourceOption[];
  readonly error?: string;
}

const NOTHING: Answer = { text: "", options: [] };

/** What is offered for a text: the resources that match, and the text as an id. Nothing while they are looked for. */
function useOptions(
  find: FindResources,
  type: string,
  text: string | undefined,
): Omit<Answer, "text"> {
  const [answer, setAnswer] = useState<Answer>();
  useEffect(() => {
    if (text === undefined) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    const timer = setTimeout(() => {
      void find(type, text, { signal })
        .then(
          (options): Answer => ({ text, options }),
          (thrown: unknown): Answer => ({ text, options: [], error: messageOf(thrown) }),
        )
        .then((found) => {
          if (!signal.aborted) setAnswer(found);
        });
    }, ASK_AFTER_MS);
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [find, type, text]);
  if (answer === undefined || answer.text !== text) return NOTHING;
  const id = text.trim();
  const isFound = id === "" || answer.options.some((option) => option.id === id);
  return isFound
    ? answer
    : { ...answer, options: [...answer.options, { id, title: "Use this id:" }] };
}

/** The title of a chosen resource, as far as the first page of matches of its id has it. */
function useTitle(find: FindResources, type: string, id: string | undefined): string | undefined {
  const read = useCallback(
    (signal: AbortSignal) => (id === undefined ? undefined : find(type, id, { signal })),
    [find, type, id],
  );
  return useAnswer(read).value?.find((option) => option.id === id)?.title;
}
