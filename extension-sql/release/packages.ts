/** The folders of the packages on npm, each after those that it depends on. */
export const PACKAGES = ["sdk", "fleet", "declared", "editor", "react", "ai", "server"] as const;
