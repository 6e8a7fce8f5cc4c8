/** The revision of a draft as its entity tag (RFC 9110): who changes a draft names the one that they have seen. */
import type { IncomingHttpHeaders } from "node:http";
import { Type } from "typebox";
import { HttpProblem, invalidRequest } from "../../http/problems.ts";

/** For the schema of a route. */
export const RevisionHeader = Type.Object({
  "if-match": Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        'Required: the ETag of the draft, such as "7". The request is refused if the draft has another one.',
    }),
  ),
});

/** @throws HttpProblem 428 without the header, 400 if it has no revision. */
export function revisionIn(headers: IncomingHttpHeaders): number {
  const header = headers["if-match"];
  if (header === undefined) {
    throw new HttpProblem(
      "REVISION_REQUIRED",
      "The request names no revision, so it could overwrite the draft of another user. Send If-Match with the ETag of the draft.",
    );
  }
  const revision = Number(/^"?(\d{1,9})"?$/.exec(header.trim())?.[1]);
  if (Number.isInteger(revision)) return revision;
  throw invalidRequest(
    `If-Match is ${header.slice(0, 40)}: give the ETag of the draft, such as "7".`,
  );
}

export const tagOf = (revision: number): string => `"${revision}"`;
