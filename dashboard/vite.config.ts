/** Builds the dashboard into `@oxbow/server`, which serves it: see server/src/routes/dashboard.ts. */
import { defineConfig } from "vite";

/** Where `npm run dev` finds the API. */
const SERVER = "http://localhost:8080";

export default defineConfig({
  // Relative, so that it works beneath any path of a proxy.
  base: "./",
  // Other workspaces as source, without building them first.
  resolve: { conditions: ["oxbow-source", "module", "browser", "development|production"] },
  build: {
    outDir: "../server/dist/dashboard",
    emptyOutDir: true,
    assetsDir: "dashboard",
    // The policy of content allows no data urls.
    assetsInlineLimit: 0,
    target: "es2022",
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Pages share twenty parts of a few hundred bytes: one file. The large ones have their own.
          groups: [
            {
              name: "shared",
              test: /dashboard[\\/]src[\\/](?!parts[\\/](?:json[\\/]|time-chart))/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
    license: { fileName: "dashboard/licenses.txt" },
  },
  server: { proxy: { "/v1": SERVER, "/readyz": SERVER } },
});
