/** The differences of two documents as text: what was added, removed and changed, by step. */
import {
  diffDocuments,
  type Document,
  type DocumentChange,
  type Json,
} from "@oxbow/declared/check";
import { type ReactNode, useMemo } from "react";
import { grouped } from "../data/grouped.ts";
import { titleOf } from "../document/connections.ts";
import { stepsOf } from "../document/places.ts";
import { Fact } from "../shell/fact.tsx";

export function ChangeList({
  from,
  to,
}: {
  readonly from: Document;
  readonly to: Document;
}): ReactNode {
  const groups = useMemo(() => groupsOf(from, to), [from, to]);
  if (groups.length === 0) return <p className="oxe-hint">There are no differences.</p>;
  return (
    <ul className="oxe-change-list">
      {groups.map(({ title, kind, changes }) => (
        <li key={title}>
          <strong className={`oxe-change-kind ${kind}`}>{title}</strong>{" "}
          {kind === "changed" ? null : <span className="oxe-hint">{kind}</span>}
          {kind === "changed" ? (
            <dl className="oxe-changes">
              {changes.map((change) => (
                <Fact key={`${change.kind} ${change.pointer}`} title={placeOf(change)}>
                  {change.from === undefined ? null : (
                    <del>
                      <ValueText value={change.from} />
                    </del>
                  )}{" "}
                  {change.to === undefined ? null : (
                    <ins>
                      <ValueText value={change.to} />
                    </ins>
                  )}
                </Fact>
              ))}
            </dl>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

interface Group {
  readonly title: string;
  readonly kind: "added" | "removed" | "changed";
  readonly changes: readonly DocumentChange[];
}

function groupsOf(from: Document, to: Document): readonly Group[] {
  const groups = grouped(
    diffDocuments(from, to).map((change) => {
      const isEdge = change.pointer.startsWith("/edges/");
      return [isEdge ? "Connections" : (change.node ?? ""), change];
    }),
  );
  return [...groups].map(([key, changes]) => {
    if (key === "") return { title: "Workflow", kind: "changed", changes };
    if (key === "Connections") return { title: key, kind: "changed", changes };
    if (from.nodes[key] === undefined) return { title: titleOf(to, key), kind: "added", changes };
    if (to.nodes[key] === undefined) return { title: titleOf(from, key), kind: "removed", changes };
    return { title: titleOf(to, key), kind: "changed", changes };
  });
}

function placeOf({ pointer, kind }: DocumentChange): string {
  if (pointer.startsWith("/edges/")) return kind;
  const steps = stepsOf(pointer);
  return (steps[0] === "nodes" ? steps.slice(2) : steps)
    .filter((step) => !step.startsWith("$") && step !== "params")
    .join(" › ");
}

/** The members of a value that differ from another one, with their places. */
export function changesOf(
  from: Json | undefined,
  to: Json,
): readonly { readonly place: string; readonly to: Json | undefined }[] {
  const rows: { place: string; to: Json | undefined }[] = [];
  const compare = (old: Json | undefined, now: Json | undefined, place: string): void => {
    if (JSON.stringify(old) === JSON.stringify(now)) return;
    if (isRecord(old) && isRecord(now)) {
      for (const name of new Set([...Object.keys(now), ...Object.keys(old)])) {
        const isBinding = name.startsWith("$");
        compare(
          old[name],
          now[name],
          isBinding ? place : place === "" ? name : `${place} › ${name}`,
        );
      }
    } else rows.push({ place, to: now });
  };
  compare(from, to, "");
  return rows;
}

function isRecord(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const MOST_TEXT = 400;

export function ValueText({ value }: { readonly value: Json }): ReactNode {
  const text = edgeText(value) ?? (typeof value === "string" ? value : JSON.stringify(value));
  return <code>{text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text}</code>;
}

/** An edge as text; undefined if the value is no edge. */
function edgeText(value: Json): string | undefined {
  if (!isRecord(value)) return undefined;
  const { from, on, to } = value;
  if (typeof from !== "string" || typeof to !== "string") return undefined;
  return `${from}${typeof on === "string" ? ` (${on})` : ""} → ${to}`;
}
