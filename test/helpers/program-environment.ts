/** The environment of the tests without the settings of the npm that runs them, for a program that a test starts. */
export const programEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(?!config_(?:registry|cache))/i.test(name),
    ),
  ),
  NODE_OPTIONS: "",
});
