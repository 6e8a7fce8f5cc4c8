/** TypeScript of both kinds of modules, without a build. */

/**
 * Loads it by tsx. The hook receives the url of each imported module.
 *
 * @throws Error with the code ERR_MODULE_NOT_FOUND if tsx isn't installed.
 */
export async function readTypeScriptByTsx(onImport?: (url: string) => void): Promise<void> {
  const [{ register: readCommonJs }, { register: readModules }] = await Promise.all([
    import("tsx/cjs/api"),
    import("tsx/esm/api"),
  ]);
  readCommonJs();
  readModules(onImport === undefined ? {} : { onImport });
}

/** Loads it by tsx, as `oxbow dev` does, or without tsx by Node itself. */
export async function readTypeScript(): Promise<void> {
  try {
    await readTypeScriptByTsx();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    if (nodeReadsTypeScript()) return;
    throw new Error(
      `Node ${process.versions.node} can't load TypeScript: use Node 22.18 or later, install tsx, or compile the files to JavaScript.`,
      { cause: error },
    );
  }
}

const nodeReadsTypeScript = (): boolean => {
  const { typescript = false } = process.features as { readonly typescript?: string | false };
  return typescript !== false;
};
