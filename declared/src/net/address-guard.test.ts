import { describe, expect, it } from "vitest";
import { AddressGuard } from "./address-guard.ts";

describe("AddressGuard", () => {
  const guard = new AddressGuard([]);

  it.each(["8.8.8.8", "93.184.215.14", "172.32.0.1", "2606:4700:4700::1111", "2a00:1450::1"])(
    "allows %s, which is public",
    (address) => expect(guard.allows(address)).toBe(true),
  );

  it.each([
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "168.63.129.16",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.168.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:8.8.8.8",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%lo",
    "fec0::1",
    "ff02::1",
    "localhost",
    "",
  ])("doesn't allow %s", (address) => expect(guard.allows(address)).toBe(false));

  it("also allows the given networks, and no others", () => {
    const wider = new AddressGuard(["10.1.0.0/16", "127.0.0.1", "fd00::/8"]);
    for (const address of ["10.1.255.1", "127.0.0.1", "::ffff:127.0.0.1", "fd12::1", "8.8.8.8"]) {
      expect([address, wider.allows(address)]).toEqual([address, true]);
    }
    for (const address of ["10.2.0.1", "127.0.0.2", "fe80::1"]) {
      expect([address, wider.allows(address)]).toEqual([address, false]);
    }
  });

  it.each(["10.0.0.0/33", "10.0.0/8", "fd00::/129", "localhost", "10.0.0.0/8/8", "10.0.0.0/", ""])(
    'refuses the network "%s"',
    (network) => expect(() => new AddressGuard([network])).toThrow(/is not a network/),
  );
});
