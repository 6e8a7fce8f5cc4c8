/** Proxies of requests, as in HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
import { type BlockList, isIP } from "node:net";
import { listOf, typeOf } from "./address-guard.ts";

export interface ProxySettings {
  /** Url of the proxy for `https:` urls. */
  readonly https?: string;
  /** Url of the proxy for `http:` urls. */
  readonly http?: string;
  /** Hosts without a proxy: `example.org` with all subdomains, `.example.org`, `example.org:8443`, `10.0.0.0/8`, `*`. */
  readonly except?: readonly string[];
}

export class Proxies {
  readonly #settings: ProxySettings;
  readonly #names: readonly { readonly name: string; readonly port: string }[];
  readonly #networks: BlockList;

  constructor(settings: ProxySettings) {
    this.#settings = settings;
    const { except = [] } = settings;
    this.#networks = listOf(except.filter(isNetwork));
    this.#names = except
      .filter((entry) => !isNetwork(entry))
      .map((entry) => {
        const [, name = "", port = ""] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
        return { name: name.replace(/^\*?\./, ""), port };
      });
  }

  /** The proxy of a url; undefined for a direct connection. */
  for(url: URL): string | undefined {
    const proxy = url.protocol === "https:" ? this.#settings.https : this.#settings.http;
    return proxy === undefined || this.#isExcepted(url) ? undefined : proxy;
  }

  #isExcepted({ protocol, hostname, port }: URL): boolean {
    const host = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
    if (isIP(host) !== 0 && this.#networks.check(host, typeOf(host))) return true;
    const itsPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
    return this.#names.some(
      (one) =>
        (one.port === "" || one.port === itsPort) &&
        (one.name === "*" || one.name === host || host.endsWith(`.${one.name}`)),
    );
  }
}

const isNetwork = (entry: string): boolean => isIP(entry.split("/")[0] ?? "") !== 0;

/**
 * The url of a proxy, with or without its protocol.
 *
 * @throws Error without the given text, which may contain a password.
 */
export function parseProxy(text: string): string {
  const url = text.includes("://") ? text : `http://${text}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new Error("give the url of a proxy, like http://proxy.example.org:3128.");
}
