/** The icons of node types and of the editor, drawn with strokes of the current colour. */
import type { ComponentProps, ReactNode } from "react";

const PATHS: Readonly<Record<string, string>> = {
  bell: "M6 9a6 6 0 0 1 12 0c0 6 2 7 2 7H4s2-1 2-7M10 20a2 2 0 0 0 4 0",
  braces:
    "M9 4H8a3 3 0 0 0-3 3v2c0 2-2 3-2 3s2 1 2 3v2a3 3 0 0 0 3 3h1M15 4h1a3 3 0 0 1 3 3v2c0 2 2 3 2 3s-2 1-2 3v2a3 3 0 0 1-3 3h-1",
  branch:
    "M6 3v12M6 15a3 3 0 1 0 0 6 3 3 0 0 0 0-6M18 3a3 3 0 1 0 0 6 3 3 0 0 0 0-6M18 9c0 5-6 4-11 7",
  chat: "M4 5h16v11H9l-5 4z",
  check: "M5 12l5 5 9-10",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7v5l3 2",
  close: "M6 6l12 12M18 6L6 18",
  code: "M8 7l-5 5 5 5M16 7l5 5-5 5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  database: "M4 6c0-4 16-4 16 0v12c0 4-16 4-16 0zM4 6c0 4 16 4 16 0M4 12c0 4 16 4 16 0",
  diff: "M12 4v8M8 8h8M8 18h8",
  flask: "M9 3h6M10 3v6l-6 10a1 1 0 0 0 1 2h14a1 1 0 0 0 1-2L14 9V3M7 15h10",
  flag: "M6 21V4M6 5h12l-3 4 3 4H6",
  globe: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  history: "M4 5v5h5M4 10a8 8 0 1 1 0 5M12 8v4l3 2",
  key: "M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8M11 12l9-9M17 6l3 3M14 9l2 2",
  layout: "M4 4h6v6H4zM14 14h6v6h-6zM10 7h4a3 3 0 0 1 3 3v4",
  list: "M9 6h12M9 12h12M9 18h12M4 6h.01M4 12h.01M4 18h.01",
  loop: "M17 3l4 4-4 4M3 11V9a2 2 0 0 1 2-2h16M7 21l-4-4 4-4M21 13v2a2 2 0 0 1-2 2H3",
  mail: "M3 6h18v12H3zM3 7l9 6 9-6",
  megaphone: "M4 10v4h3l9 5V5l-9 5zM7 14v5h3M19 9a4 4 0 0 1 0 6",
  message: "M4 5h16v11H9l-5 4z",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 21c0-9 16-9 16 0",
  phone: "M5 3h4l2 5-3 2a12 12 0 0 0 6 6l2-3 5 2v4a2 2 0 0 1-2 2A17 17 0 0 1 3 5a2 2 0 0 1 2-2",
  play: "M7 4l12 8-12 8z",
  plus: "M12 5v14M5 12h14",
  queue: "M4 5h16v4H4zM4 10h16v4H4zM4 15h16v4H4z",
  redo: "M20 8H9a5 5 0 0 0 0 10h4M20 8l-4-4M20 8l-4 4",
  repeat: "M17 3l4 4-4 4M3 11V9a2 2 0 0 1 2-2h16M7 21l-4-4 4-4M21 13v2a2 2 0 0 1-2 2H3",
  send: "M21 3L3 11l7 3 3 7zM10 14L21 3",
  siren: "M7 17v-5a5 5 0 0 1 10 0v5M4 20h16M12 2v2M4 7l2 1M20 7l-2 1",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13",
  undo: "M4 8h11a5 5 0 0 1 0 10h-4M4 8l4-4M4 8l4 4",
  workflow: "M3 4h7v6H3zM14 14h7v6h-7zM6 10v4a3 3 0 0 0 3 3h5",
  warning: "M12 4L2 20h20zM12 10v4M12 17h.01",
};

/** Decoration: what it means stands beside it as text. */
export function Icon({
  name,
  size = 18,
}: {
  readonly name: string;
  readonly size?: number | undefined;
}): ReactNode {
  const path = PATHS[name];
  if (path === undefined) return null;
  return (
    <svg className="oxe-icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** A quiet button that shows only an icon. */
export const IconButton = ({
  icon,
  size,
  label,
  ...button
}: ComponentProps<"button"> & {
  readonly icon: string;
  readonly size?: number;
  readonly label: string;
}): ReactNode => (
  <button type="button" className="oxe-quiet" aria-label={label} {...button}>
    <Icon name={icon} size={size} />
  </button>
);

/** The icon of a node type, or the first letter of its title. */
export const TypeIcon = ({
  icon,
  title,
}: {
  readonly icon: string | undefined;
  readonly title: string;
}): ReactNode => (
  <span className="oxe-type-icon" aria-hidden="true">
    {icon !== undefined && icon in PATHS ? <Icon name={icon} /> : title.slice(0, 1).toUpperCase()}
  </span>
);
