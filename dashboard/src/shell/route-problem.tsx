import type { ErrorComponentProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../parts/page.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";

/** A page that could not be shown. */
export const RouteProblem = ({ error, reset }: ErrorComponentProps): ReactNode => (
  <Page title="This page can't be shown">
    <ProblemBox error={error} retry={reset} />
  </Page>
);
