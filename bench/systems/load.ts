import type { System } from "./system.ts";

const OWN = new Set(["oxbow", "oxbow-http", "oxbow-http-workers"]);

/** Peers are loaded by their path: they are installed apart, and the rest must be sound without them. */
export async function loadSystem(id: string): Promise<System> {
  const path = OWN.has(id) ? `./${id}.ts` : `../peers/${id}.ts`;
  const module = (await import(new URL(path, import.meta.url).href)) as { system: System };
  return module.system;
}
