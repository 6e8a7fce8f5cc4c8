/** Addresses to which requests are allowed: public addresses, and networks of the configuration. */
import { BlockList, isIP } from "node:net";

/** Addresses that the registries reserve. */
const FORBIDDEN_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  // A public address that is the metadata service of a cloud.
  "168.63.129.16/32",
];

/** The public part of IPv6 … */
const PUBLIC_V6 = "2000::/3";
/** … without its reserved networks, and networks that embed IPv4 addresses. */
const FORBIDDEN_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

export class AddressGuard {
  readonly #forbidden = listOf([...FORBIDDEN_V4, ...FORBIDDEN_V6]);
  readonly #public = listOf([PUBLIC_V6]);
  readonly #allowed: BlockList;

  /** @param allowed Networks like `10.1.0.0/16`, or single addresses. */
  constructor(allowed: readonly string[]) {
    this.#allowed = listOf(allowed);
  }

  allows(address: string): boolean {
    // An address with a zone is link-local.
    if (isIP(address) === 0 || address.includes("%")) return false;
    const type = typeOf(address);
    if (this.#allowed.check(address, type)) return true;
    if (this.#forbidden.check(address, type)) return false;
    return type === "ipv4" || this.#public.check(address, type);
  }
}

export const typeOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 4 ? "ipv4" : "ipv6");

export function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const { address, length } = parseNetwork(network);
    list.addSubnet(address, length, typeOf(address));
  }
  return list;
}

/**
 * An address, or a network as address/length.
 *
 * @throws Error with the invalid text.
 */
export function parseNetwork(text: string): { readonly address: string; readonly length: number } {
  const [address = "", length, ...rest] = text.split("/");
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  const bits = length === undefined ? most : Number(length);
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && bits <= most);
  if (family !== 0 && !address.includes("%") && isLength && rest.length === 0) {
    return { address, length: bits };
  }
  throw new Error(
    `"${text.slice(0, 60)}" is not a network: give an address, or a network like 10.1.0.0/16 or fd00::/8.`,
  );
}
