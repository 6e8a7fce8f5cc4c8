/** The servers that a url names, and which of them to use, as psql reads it. */
import { InvalidArgument } from "../../../core/errors.ts";

const ATTRIBUTES = [
  "any",
  "read-write",
  "read-only",
  "primary",
  "standby",
  "prefer-standby",
] as const;

/** A host, and a port. */
const PLACE = /^(\[[^\]]+\]|[^:[\]]*)(?::(\d*))?$/;

const HIGHEST_PORT = 65_535;

export type SessionAttributes = (typeof ATTRIBUTES)[number];

export interface NamedServer {
  /** For messages: without role and password. */
  readonly name: string;
  /** Url of only this server. */
  readonly url: string;
}

export interface ServerList {
  readonly servers: readonly NamedServer[];
  readonly wanted: SessionAttributes;
}

/**
 * Reads `postgres://role@h1:5432,h2:5432/db?target_session_attrs=read-write`, or the same with `?host=h1,h2&port=5432`.
 * Several servers without the attribute are asked for the one that accepts writes: unlike other clients of Postgres,
 * Oxbow has no use for another one.
 *
 * @throws InvalidArgument
 */
export function readServerList(url: string): ServerList {
  const [, before = "", authority = "", path = "", query = ""] =
    /^([^:]+:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?/.exec(url) ?? [];
  const rest = url.slice(before.length);
  if (!authority.split(",").every((one) => PLACE.test(one))) requireNoAt(rest);
  const parameters = new URLSearchParams(query);
  const withoutValues = rest.replaceAll(/=[^&#]*/g, "");
  const ports = parameters.get("port")?.split(",") ?? [];
  if ([...authority.split(",").map((one) => PLACE.exec(one)?.[2]), ...ports].some(isTooHigh)) {
    requireNoAt(withoutValues);
    throw new InvalidArgument(`Invalid port in the url: the highest is ${HIGHEST_PORT}.`);
  }
  const attributes = parameters.get("target_session_attrs");
  const hosts = parameters.get("host")?.split(",").map(toAuthority) ?? authority.split(",");
  if (hosts.length === 1 && attributes === null) {
    return { servers: [{ name: nameOf(authority), url }], wanted: "any" };
  }
  requireNoAt(withoutValues);
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new InvalidArgument(
      `The url names ${hosts.length} hosts and ${ports.length} ports: give one port, or one for each host.`,
    );
  }
  for (const name of ["host", "port", "target_session_attrs"]) parameters.delete(name);
  const end = parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
  const servers = hosts.map((host, index) => {
    const place = withPort(host, ports[index] ?? ports[0]);
    return { name: nameOf(place), url: `${before}${place}${end}` };
  });
  return { servers, wanted: toAttributes(attributes ?? "read-write") };
}

/**
 * The url for a program of Postgres. With several servers, psql and its relatives connect to the first that answers,
 * which may be a standby, unless the url has the attribute.
 *
 * @throws InvalidArgument
 */
export function toProgramUrl(url: string): string {
  const { servers } = readServerList(url);
  if (servers.length === 1 || /[?&]target_session_attrs=/.test(url)) return url;
  return `${url}${url.includes("?") ? "&" : "?"}target_session_attrs=read-write`;
}

function toAttributes(text: string): SessionAttributes {
  const found = ATTRIBUTES.find((one) => one === text);
  if (found !== undefined) return found;
  throw new InvalidArgument(
    `Invalid target_session_attrs "${text}" in the url: give ${ATTRIBUTES.join(", ")}.`,
  );
}

const isTooHigh = (port: string | undefined): boolean => Number(port) > HIGHEST_PORT;

/** What seems to be a server before it is a part of the password then, and must not be quoted. */
function requireNoAt(rest: string): void {
  if (!rest.includes("@")) return;
  throw new InvalidArgument(
    "The url has an @ after a /, ? or #: encode /, ? and # in its password, as %2F, %3F and %23, and @ in the name of its database, as %40.",
  );
}

/** @param port Of the parameter, which counts. */
function withPort(authority: string, port: string | undefined): string {
  const [, host, own] = PLACE.exec(authority) ?? [];
  const number = port === undefined || port === "" ? own : port;
  if (host === undefined || (number !== undefined && !/^\d{0,5}$/.test(number))) {
    throw new InvalidArgument(
      `Invalid server "${authority}${port === undefined ? "" : `:${port}`}" in the url: give hosts and ports like db1:5432,db2:5432.`,
    );
  }
  return number === undefined || number === "" ? host : `${host}:${number}`;
}

/** A folder of a socket has slashes, an address of IPv6 has colons. */
const toAuthority = (host: string): string =>
  host.startsWith("/") ? encodeURIComponent(host) : host.includes(":") ? `[${host}]` : host;

const nameOf = (authority: string): string => {
  const name = authority.replaceAll(/%2f/gi, "/");
  return name === "" || name.startsWith(":") ? `the local socket${name}` : name;
};
