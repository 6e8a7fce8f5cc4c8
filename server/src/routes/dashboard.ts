/** The dashboard: static files. They contain no data; they call the API with the token of the user. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../http/app.ts";
import { PAGE_HEADERS } from "../http/content-policy.ts";

/** Where `npm run build:dashboard` puts them: the same relative path from src/ and from dist/. */
const FOLDER = fileURLToPath(new URL("../../dist/dashboard", import.meta.url));
const PAGE = "index.html";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

const HEADERS = { ...PAGE_HEADERS, vary: "accept-encoding" };

/** Names of built files contain a hash of their content. */
const HASHED = /-[\w-]{8}\.\w+$/;
const FOREVER = "public, max-age=31536000, immutable";

export function addDashboardRoutes(app: App): void {
  for (const name of filesBeneath(FOLDER)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const file = new StaticFile(readFileSync(join(FOLDER, name)), type, HASHED.test(name));
    // A route per file, so that no path can lead out of the folder.
    const path = name === PAGE ? "/" : `/${name.replaceAll("\\", "/")}`;
    app.get(path, { schema: { hide: true } }, (request, reply) => file.answer(request, reply));
  }
}

/** Empty in a checkout where nothing was built. */
const filesBeneath = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : [];

class StaticFile {
  readonly #content: Buffer;
  readonly #headers: Readonly<Record<string, string>>;
  /** Compressed at the first request. */
  #compressed: Promise<Buffer> | undefined;

  constructor(content: Buffer, type: string, isHashed: boolean) {
    this.#content = content;
    this.#headers = {
      ...HEADERS,
      "content-type": type,
      "cache-control": isHashed ? FOREVER : "no-cache",
      etag: `W/"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`,
    };
  }

  async answer({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.headers(this.#headers);
    if (headers["if-none-match"] === this.#headers["etag"]) return reply.code(304).send();
    if (!/\bgzip\b/.test(String(headers["accept-encoding"]))) return reply.send(this.#content);
    this.#compressed ??= promisify(gzip)(this.#content);
    return reply.header("content-encoding", "gzip").send(await this.#compressed);
  }
}
