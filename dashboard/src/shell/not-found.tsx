import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../parts/page.tsx";

export const NotFound = (): ReactNode => (
  <Page title="There is no such page">
    <p>
      The address may be of another version of the dashboard. <Link to="/">Go to the overview</Link>
      , or press Ctrl K to search.
    </p>
  </Page>
);
