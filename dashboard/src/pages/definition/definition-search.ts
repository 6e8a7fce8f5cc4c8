/** The run whose progress is shown on the canvas, as the address has it. */
export interface DefinitionSearch {
  run?: string | undefined;
}

const ID = /^\d{1,18}$/;

export function readDefinitionSearch({ run }: Record<string, unknown>): DefinitionSearch {
  const id = typeof run === "number" ? String(run) : run;
  return typeof id === "string" && ID.test(id) ? { run: id } : {};
}
