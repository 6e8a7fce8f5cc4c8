import { Fragment, type ReactNode } from "react";

/** A description, in which code stands between backticks. */
export const Prose = ({ text }: { readonly text: string }): ReactNode =>
  text.split(/`([^`]+)`/).map((part, at) => {
    // Parts have no identity besides their place; every other one is code.
    // oxlint-disable-next-line react/no-array-index-key
    return at % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>;
  });
