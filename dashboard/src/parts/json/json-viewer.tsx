/** A JSON value of any size: collapse, search, copy, download. Only the lines on the screen are drawn. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useId, useMemo, useRef, useState } from "react";
import { prettyJson } from "../../format/json-text.ts";
import { note } from "../../shell/notes.tsx";
import { download } from "../download.ts";
import { type JsonLine, jsonLines } from "./json-lines.ts";

const LINE_PX = 20;
/** Fewer lines need no search. */
const SHORT = 12;
const TALLEST_PX = 480;

export function JsonViewer({ label, value }: { label: string; value: unknown }): ReactNode {
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const [wanted, setWanted] = useState("");
  const [turn, setTurn] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => jsonLines(value, collapsed), [value, collapsed]);
  const hits = useMemo(() => hitsIn(lines, wanted), [lines, wanted]);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  });
  const hit = hits[turn % Math.max(1, hits.length)];
  const searchId = useId();

  const toggle = (path: string): void => {
    const next = new Set(collapsed);
    if (!next.delete(path)) next.add(path);
    setCollapsed(next);
  };
  const showHit = (to: number): void => {
    setTurn(to);
    const index = hits[to % Math.max(1, hits.length)];
    if (index !== undefined) virtual.scrollToIndex(index, { align: "center" });
  };

  return (
    <div className="json card">
      <div className="json-tools">
        <span className="json-label">{label}</span>
        {lines.length < SHORT && collapsed.size === 0 ? null : (
          <>
            <label htmlFor={searchId} className="only-read">
              Search in {label}
            </label>
            <input
              id={searchId}
              type="search"
              placeholder="Search"
              value={wanted}
              onChange={({ target }) => {
                setWanted(target.value);
                const first = hitsIn(lines, target.value)[0];
                setTurn(0);
                if (first !== undefined) virtual.scrollToIndex(first, { align: "center" });
              }}
              onKeyDown={({ key, shiftKey }) => {
                if (key === "Enter") showHit(turn + (shiftKey ? hits.length - 1 : 1));
              }}
            />
            <span className="soft" role="status">
              {wanted === ""
                ? ""
                : hits.length === 0
                  ? "not found"
                  : `${(turn % hits.length) + 1} of ${hits.length}`}
            </span>
            <button
              type="button"
              className="quiet"
              onClick={() => setCollapsed(collapsed.size > 0 ? new Set() : outermost(value))}
            >
              {collapsed.size > 0 ? "Expand all" : "Collapse all"}
            </button>
          </>
        )}
        <button
          type="button"
          className="quiet"
          onClick={() => {
            void navigator.clipboard
              .writeText(prettyJson(value))
              .then(() => note(`Copied: ${label}.`))
              .catch(() => note("The browser doesn't allow copying here: use Download."));
          }}
        >
          Copy
        </button>
        <button
          type="button"
          className="quiet"
          onClick={() => {
            const blob = new Blob([prettyJson(value)], { type: "application/json" });
            download(blob, `${label.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.json`);
          }}
        >
          Download
        </button>
      </div>
      <div
        className="json-lines"
        ref={scroller}
        role="region"
        aria-label={label}
        // Scrollable, so the keyboard must reach it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        style={{ height: Math.min(TALLEST_PX, lines.length * LINE_PX + 16) }}
      >
        <div className="json-sheet" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = lines[index];
            if (line === undefined) return null;
            return (
              <div
                key={index}
                className={index === hit && wanted !== "" ? "json-line hit" : "json-line"}
                style={{
                  transform: `translateY(${start}px)`,
                  paddingLeft: `${line.depth * 1.25 + 1.5}em`,
                }}
              >
                <Line line={line} toggle={toggle} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function Line({
  line,
  toggle,
}: {
  readonly line: JsonLine;
  readonly toggle: (path: string) => void;
}): ReactNode {
  const text = (
    <>
      {line.key === "" ? null : <span className="json-key">{line.key}</span>}
      <span className={`json-${line.kind}`}>{line.text}</span>
    </>
  );
  if (line.kind !== "open" && line.kind !== "closed") return text;
  return (
    <button
      type="button"
      className="json-fold"
      aria-expanded={line.kind === "open"}
      onClick={() => toggle(line.path)}
    >
      <span aria-hidden="true" className="json-mark">
        {line.kind === "open" ? "▾" : "▸"}
      </span>
      {text}
    </button>
  );
}

function hitsIn(lines: readonly JsonLine[], wanted: string): number[] {
  if (wanted === "") return [];
  const text = wanted.toLowerCase();
  return [...lines.keys()].filter((index) => {
    const line = lines[index];
    return line !== undefined && `${line.key}${line.text}`.toLowerCase().includes(text);
  });
}

/** Paths of the values inside the value, one level deep. */
const outermost = (value: unknown): Set<string> =>
  new Set(
    Object.keys(value as object).map(
      (name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
    ),
  );
