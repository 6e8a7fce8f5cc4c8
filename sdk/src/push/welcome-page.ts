/** The page for people who open the url of a handler. It has no workflow. */

export const welcomePage = (isSigned: boolean): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Oxbow endpoint</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 4em auto; padding: 0 1em; }
  code { background: #8882; padding: .1em .3em; border-radius: .2em; }
</style>
<h1>This is an Oxbow endpoint</h1>
<p>${
  isSigned
    ? "It answers requests that are signed with its key."
    : "It has no signing key, so it answers only requests of the same machine."
}</p>
<p>To have runs pushed to it, register its url: <code>oxbow endpoints add &lt;this url&gt;</code>.
<code>oxbow endpoints list</code> then shows whether a server can reach it.</p>
</html>
`;
