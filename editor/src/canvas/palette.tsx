/** The palette: node types by category, searched, dragged onto the canvas, or added by a press. */
import { type ReactNode, useId, useMemo, useState } from "react";
import { TypeIcon } from "../catalog/icon.tsx";
import type { NodeTypeDescriptor } from "../data/catalog-data.ts";
import { grouped } from "../data/grouped.ts";
import { Prose } from "../form/prose.tsx";
import { useAdding } from "../shell/adding.ts";
import { useStore } from "../state/use-editor.ts";

/** The type of a drag's data: a node type. */
export const NODE_TYPE_DRAG = "application/x-oxbow-node-type";

export function Palette(): ReactNode {
  const adding = useAdding();
  const [text, setText] = useState("");
  const sections = useSections(text);
  return (
    <nav className="oxe-palette" aria-label="Steps to add">
      <input
        type="search"
        className="oxe-search"
        placeholder="Search steps"
        aria-label="Search steps"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {sections.length === 0 ? <p className="oxe-hint">No step matches “{text}”.</p> : null}
      {sections.map(([category, types]) => (
        <section key={category} aria-label={category}>
          <h2>{category}</h2>
          <ul>
            {types.map((type) => (
              <li key={type.type}>
                <button
                  type="button"
                  className="oxe-palette-item"
                  data-category={category}
                  title={type.description?.replaceAll("`", "")}
                  draggable
                  onDragStart={(event) => {
                    event.dataTransfer.setData(NODE_TYPE_DRAG, type.type);
                    event.dataTransfer.effectAllowed = "copy";
                  }}
                  onClick={() => adding.add(type.type, { kind: "end" })}
                >
                  <TypeIcon icon={type.icon} title={titleOf(type)} />
                  <span>{titleOf(type)}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

/** The palette as a dialog: search, arrow keys, Enter. */
export function PaletteChoice({
  onChoose,
}: {
  readonly onChoose: (type: string) => void;
}): ReactNode {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const sections = useSections(text);
  const id = useId();
  const { catalog } = useStore();
  const found = sections.flatMap(([, each]) => each);
  const isOther =
    catalog.data.hasOtherNodeTypes === true && NODE_TYPE.test(text) && !catalog.nodeTypes.has(text);
  const types: readonly NodeTypeDescriptor[] = isOther
    ? [...found, { type: text, description: "A node type of your workers." }]
    : found;
  const current = types[Math.min(at, types.length - 1)];
  return (
    <div className="oxe-choice">
      <input
        type="search"
        className="oxe-search"
        placeholder="Search steps"
        role="combobox"
        aria-label="Search steps"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={current === undefined ? undefined : `${id}-${current.type}`}
        data-first-focus
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            const step = event.key === "ArrowDown" ? 1 : -1;
            setAt((before) => Math.max(0, Math.min(types.length - 1, before + step)));
          } else if (event.key === "Enter" && current !== undefined) {
            event.preventDefault();
            onChoose(current.type);
          }
        }}
      />
      <ul role="listbox" id={id} aria-label="Steps" className="oxe-choices">
        {types.map((type) => (
          // The text field has the keyboard.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <li
            key={type.type}
            id={`${id}-${type.type}`}
            role="option"
            aria-selected={type === current}
            data-category={type.category ?? OTHER}
            ref={(element) => {
              if (type === current) element?.scrollIntoView({ block: "nearest" });
            }}
            onClick={() => onChoose(type.type)}
          >
            <TypeIcon icon={type.icon} title={titleOf(type)} />
            <span className="oxe-choice-texts">
              <span>{titleOf(type)}</span>
              <span className="oxe-hint">
                <Prose text={type.description ?? ""} />
              </span>
            </span>
          </li>
        ))}
      </ul>
      {types.length === 0 ? <p className="oxe-hint">No step matches “{text}”.</p> : null}
    </div>
  );
}

const NODE_TYPE = /^[a-z][a-z0-9_.]*@[1-9]\d{0,8}$/;
const OTHER = "Other";
const titleOf = ({ title, type }: NodeTypeDescriptor): string => title ?? type;

/** Node types that match a text, by category: those of the catalog first, then the built-in ones. */
function useSections(
  text: string,
): readonly (readonly [category: string, types: readonly NodeTypeDescriptor[]])[] {
  const { catalog } = useStore();
  return useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const own = new Set(catalog.data.nodeTypes.map(({ type }) => type));
    const all = [...catalog.nodeTypes.values()];
    const ordered = [
      ...all.filter(({ type }) => own.has(type)),
      ...all.filter(({ type }) => !own.has(type)),
    ];
    const found = ordered.filter(({ title = "", type, category = "", description = "" }) => {
      const haystack = `${title} ${type} ${category} ${description}`.toLowerCase();
      return words.every((word) => haystack.includes(word));
    });
    return [...grouped(found.map((type) => [type.category ?? OTHER, type]))];
  }, [catalog, text]);
}
