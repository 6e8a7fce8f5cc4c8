import type { ReactNode } from "react";

/** A term of a list of descriptions, and what is said of it. */
export const Fact = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}): ReactNode => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);
