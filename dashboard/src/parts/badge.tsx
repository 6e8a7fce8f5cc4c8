import type { ReactNode } from "react";

/** @param look Class of the colour. Default: the text. */
export const Badge = ({ text, look = text }: { text: string; look?: string }): ReactNode => (
  <span className={`badge ${look}`}>{text}</span>
);
