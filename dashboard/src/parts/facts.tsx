import type { ReactNode } from "react";

/** Names and values; those without a value are left out. */
export function Facts({ of: pairs }: { of: readonly (readonly [string, ReactNode])[] }): ReactNode {
  const shown = pairs.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return (
    <dl className="facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
