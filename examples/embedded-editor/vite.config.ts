/** Builds the example: `npm --workspace examples/embedded-editor run dev`, or `build`. */
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  // The workspaces of this repository as source; an application gets the packages.
  resolve: { conditions: ["oxbow-source", "module", "browser", "development|production"] },
  build: { assetsInlineLimit: 0, target: "es2022", emptyOutDir: true },
});
