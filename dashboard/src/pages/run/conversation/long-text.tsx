import { type ReactNode, useState } from "react";

/** Longer text is shown in part, until it is asked for. */
const LONGEST = 20_000;

/** Text of users and models: never markup. */
export function LongText({ text }: { readonly text: string }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  if (isWhole || text.length <= LONGEST) return <p className="said">{text}</p>;
  return (
    <>
      <p className="said">{text.slice(0, LONGEST)}…</p>
      <p>
        <button type="button" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </button>
      </p>
    </>
  );
}
