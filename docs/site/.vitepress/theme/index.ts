/** The default theme. A page that can't be rendered fails the build: by default Vue prints the error and leaves a hole. */
import type { Theme } from "vitepress";
import defaultTheme from "vitepress/theme";

const theme: Theme = {
  extends: defaultTheme,
  enhanceApp: ({ app }) => {
    app.config.throwUnhandledErrorInProduction = true;
  },
};

// VitePress loads the default export.
export default theme;
