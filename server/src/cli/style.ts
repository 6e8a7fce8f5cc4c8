/** Colours, if the stream is a terminal and NO_COLOR is not set. */
import { wantsColour } from "../config.ts";

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Style = (kind: keyof typeof CODES, text: string) => string;

const coloured: Style = (kind, text) =>
  text === "" ? text : `\u001B[${CODES[kind]}m${text}\u001B[0m`;
const plain: Style = (_kind, text) => text;

export const styleFor = (stream: NodeJS.WriteStream): Style =>
  wantsColour(stream) ? coloured : plain;

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
