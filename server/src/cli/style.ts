/** Colours, if the stream is a terminal and NO_COLOR is not set, and no other codes that a terminal obeys. */
import { wantsColour } from "../config.ts";

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Style = (kind: keyof typeof CODES, text: string) => string;

const coloured: Style = (kind, text) =>
  text === "" ? text : `\u001B[${CODES[kind]}m${text}\u001B[0m`;
const plain: Style = (_kind, text) => text;

export const styleFor = (stream: NodeJS.WriteStream): Style =>
  wantsColour(stream) ? coloured : plain;

// oxlint-disable-next-line no-control-regex
const CONTROL = /(?![\n\t]|\r\n|\u001B\[(?:[012]|3[1236])m)\p{Cc}/gu;

/** Escapes control characters as JSON does, so that no data changes the screen; keeps line breaks, tabs and colours. */
export const visible = (text: string): string =>
  text.replaceAll(
    CONTROL,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );

const STATUS_COLOURS: Readonly<Record<string, keyof typeof CODES>> = {
  completed: "green",
  failed: "red",
  cancelled: "yellow",
  paused: "yellow",
};

export const styleStatus = (style: Style, status: string): string => {
  const colour = STATUS_COLOURS[status];
  return colour === undefined ? status : style(colour, status);
};
