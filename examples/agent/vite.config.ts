import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL("page", import.meta.url)),
  build: { outDir: "../dist", emptyOutDir: true, target: "es2022" },
});
