import type { ReactNode } from "react";

/** What would be here, and how to get it. */
export const Empty = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}): ReactNode => (
  <>
    <p className="empty-title">{title}</p>
    {children}
  </>
);
