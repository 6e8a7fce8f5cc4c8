/** The dashboard: static files. They contain no data; they call the API with the token of the user. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../http/app.ts";

/** The same relative path from src/ and from dist/. */
const FOLDER = fileURLToPath(new URL("../../dashboard", import.meta.url));
const PAGE = "index.html";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const HEADERS = {
  // No resources of other origins, nothing inline, no embedding in frames.
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-cache",
};

export function addDashboardRoutes(app: App): void {
  for (const name of readdirSync(FOLDER, { recursive: true }).map(String)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const content = readFileSync(join(FOLDER, name));
    const etag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
    // A route per file, so that no path can lead out of the folder.
    const path = name === PAGE ? "/" : `/dashboard/${name.replaceAll("\\", "/")}`;
    app.get(path, { schema: { hide: true } }, (request: FastifyRequest, reply: FastifyReply) => {
      reply.headers({ ...HEADERS, "content-type": type, etag });
      if (request.headers["if-none-match"] === etag) return reply.code(304).send();
      return reply.send(content);
    });
  }
}
