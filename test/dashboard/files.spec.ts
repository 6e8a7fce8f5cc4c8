/** The files of the dashboard, as the server sends them. */
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { world } from "./world.ts";

const FIRST_LOAD_BYTES = 250_000;

/** Scripts, styles and images that the page names, and what these import immediately. */
async function firstLoad(): Promise<Map<string, Response>> {
  const { url } = world().server;
  const loaded = new Map<string, Response>();
  const load = async (path: string): Promise<void> => {
    if (loaded.has(path)) return;
    const response = await fetch(`${url}/${path}`);
    loaded.set(path, response.clone());
    const text = await response.text();
    const named =
      path === ""
        ? [...text.matchAll(/(?:src|href)="\.\/([^"]+)"/g)]
        : [...text.matchAll(/\bfrom\s*"\.\/([^"]+)"|^import\s*"\.\/([^"]+)"/g)];
    for (const [, file, bare] of named) {
      const name = file ?? bare ?? "";
      await load(path === "" ? name : `dashboard/${name}`);
    }
  };
  await load("");
  return loaded;
}

export function describeFiles(): void {
  it("comes without a token, under a strict policy, and is not sent twice", async () => {
    const { url } = world().server;
    const page = await fetch(`${url}/`);
    expect(page.status).toBe(200);
    const policy = page.headers.get("content-security-policy");
    expect(policy).toMatch(/default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toContain("unsafe");
    const html = await page.text();
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(html).not.toMatch(/<style|style=|<script(?![^>]* src=)/);
    const [, script = ""] = /src="\.\/(dashboard\/[^"]+\.js)"/.exec(html) ?? [];
    const first = await fetch(`${url}/${script}`);
    expect(first.headers.get("content-type")).toMatch("text/javascript");
    expect(first.headers.get("cache-control")).toMatch("immutable");
    expect(first.headers.get("content-encoding")).toBe("gzip");
    // Where React looks up its messages, unless it is built for development.
    expect(await first.clone().text()).toContain("https://react.dev/errors/");
    const again = await fetch(`${url}/${script}`, {
      headers: { "if-none-match": first.headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
    for (const file of ["../package.json", "..%2fpackage.json", "nothing.js"]) {
      expect((await fetch(`${url}/dashboard/${file}`)).status).toBe(404);
    }
  });

  it(`loads at first less than ${FIRST_LOAD_BYTES / 1_000} kB, compressed`, async () => {
    let bytes = 0;
    for (const response of (await firstLoad()).values()) {
      bytes += gzipSync(Buffer.from(await response.arrayBuffer())).byteLength;
    }
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);
  });
}
