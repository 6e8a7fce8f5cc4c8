/** The dashboard: see dashboard/README.md. */
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Problem } from "./api/problem.ts";
import { refreshEvery, refreshOnReturn, USUALLY_MS } from "./api/refresh.ts";
import { router } from "./router.tsx";
import { applyTheme } from "./shell/preferences.ts";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/parts.css";

const RETRIES = 2;

applyTheme();
refreshOnReturn();

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      refetchInterval: refreshEvery(USUALLY_MS),
      staleTime: 1_000,
      // A refusal is repeated with the same result.
      retry: (failures, error) =>
        failures < RETRIES && !(error instanceof Problem && error.status < 500),
    },
  },
});

const root = document.querySelector("#root");
if (root === null) throw new Error("The page has no #root.");
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
