import { type ReactNode, useEffect } from "react";

/** A page with its title, which is also that of the tab. */
export function Page({
  title,
  tabTitle = title,
  beside,
  actions,
  children,
}: {
  readonly title: string;
  readonly tabTitle?: string;
  /** Next to the title: badges, a mark that the page is live. */
  readonly beside?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  useEffect(() => {
    document.title = `${tabTitle} · Oxbow`;
  }, [tabTitle]);
  return (
    <>
      <div className="title">
        <div className="named">
          <h1>{title}</h1>
          {beside}
        </div>
        <div className="buttons">{actions}</div>
      </div>
      {children}
    </>
  );
}

export const Live = (): ReactNode => (
  <span className="live" title="This page shows changes as they happen.">
    live
  </span>
);
