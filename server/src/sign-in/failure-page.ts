/** The page that a failed sign-in ends with. It works without scripts. */

import { escaped } from "../http/html.ts";

/** @param publicUrl Url of the dashboard. */
export const failurePage = (message: string, publicUrl: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Sign-in failed – Oxbow</title>
    <link rel="stylesheet" href="${escaped(publicUrl)}plain.css" />
  </head>
  <body>
    <main>
      <h1>Sign-in failed</h1>
      <p role="alert">${escaped(message)}</p>
      <p>
        <a href="${escaped(publicUrl)}auth/sign-in">Sign in again</a> or
        <a href="${escaped(publicUrl)}">go to the dashboard</a>, which also takes a token.
      </p>
    </main>
  </body>
</html>
`;
