/** The folders of the packages on npm, each after those that it depends on. */
export const PACKAGES = ["sdk", "fleet", "declared", "editor", "react", "server"] as const;
