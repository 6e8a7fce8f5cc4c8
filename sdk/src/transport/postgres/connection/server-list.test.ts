import { expect, it } from "vitest";
import { InvalidArgument } from "../../../core/errors.ts";
import { readServerList, toProgramUrl } from "./server-list.ts";

it.each([
  "postgres://app:secret@db.example:5432/shop?sslmode=verify-full",
  "postgresql:///shop?host=/run/postgresql",
  "postgres://[::1]:5432/shop",
  "postgres://%2Frun%2Fpostgresql/shop",
])("leaves %s, which names one server, as it is", (url) => {
  expect(readServerList(url)).toMatchObject({ servers: [{ url }], wanted: "any" });
});

it("reads hosts and ports, and gives each server a separate url", () => {
  const url =
    "postgres://app:s%40c@db1:5433,[::1]:5434,db3/shop?sslmode=require&target_session_attrs=primary";
  expect(readServerList(url)).toEqual({
    servers: [
      { name: "db1:5433", url: "postgres://app:s%40c@db1:5433/shop?sslmode=require" },
      { name: "[::1]:5434", url: "postgres://app:s%40c@[::1]:5434/shop?sslmode=require" },
      { name: "db3", url: "postgres://app:s%40c@db3/shop?sslmode=require" },
    ],
    wanted: "primary",
  });
});

it.each([
  ["?host=db1,db2", ["postgres://app@db1/shop", "postgres://app@db2/shop"]],
  ["?host=db1,::1&port=5433", ["postgres://app@db1:5433/shop", "postgres://app@[::1]:5433/shop"]],
  ["?host=/a,/b&port=1,2", ["postgres://app@%2Fa:1/shop", "postgres://app@%2Fb:2/shop"]],
])("reads hosts and ports of the parameters %s", (query, urls) => {
  const { servers } = readServerList(`postgres://app@/shop${query}`);
  expect(servers.map(({ url }) => url)).toEqual(urls);
});

it("takes the one that accepts writes, if several are named without an attribute", () => {
  expect(readServerList("postgres://db1,db2/shop").wanted).toBe("read-write");
});

it("checks a single server that has target_session_attrs", () => {
  expect(readServerList("postgres://db/shop?target_session_attrs=read-write")).toEqual({
    servers: [{ name: "db", url: "postgres://db/shop" }],
    wanted: "read-write",
  });
});

it.each([
  ["postgres://db/shop", "postgres://db/shop"],
  ["postgres://db1,db2/shop", "postgres://db1,db2/shop?target_session_attrs=read-write"],
  [
    "postgres:///shop?host=db1,db2",
    "postgres:///shop?host=db1,db2&target_session_attrs=read-write",
  ],
  [
    "postgres://db1,db2/shop?target_session_attrs=standby",
    "postgres://db1,db2/shop?target_session_attrs=standby",
  ],
])("makes programs choose among the servers of %s as it does", (url, expected) => {
  expect(toProgramUrl(url)).toBe(expected);
});

it("never names the role or the password", () => {
  const { servers } = readServerList("postgres://app:secret@db1,db2/shop");
  expect(servers.map(({ name }) => name)).toEqual(["db1", "db2"]);
});

it.each(["/", "?", "#"])("quotes nothing of a password with a %s that isn't encoded", (mark) => {
  for (const hosts of ["db1,db2", "db1"]) {
    const rest = `${mark}ss@${hosts}/shop?target_session_attrs=read-write`;
    for (const url of [`postgres://app:pa${rest}`, `postgres://app:1,pa${rest}`]) {
      expect(() => readServerList(url)).toThrow(InvalidArgument);
      expect(() => readServerList(url)).toThrow(/^The url has an @ after a \/, \? or #: encode/);
    }
  }
});

it("names no part of a password that could be a port", () => {
  for (const url of [
    "postgres://app:12/3@db1,db2/shop?target_session_attrs=read-write",
    "postgres://app:99999999/3@db/shop",
  ]) {
    expect(() => readServerList(url)).toThrow(/encode/);
  }
});

it.each([
  "postgres://app:secret@db:65536/shop",
  "postgres://app:secret@db1:5432,db2:99999/shop",
  "postgres://app:secret@db/shop?port=543200&user=app@azure",
])("quotes nothing of %s, whose port is too high", (url) => {
  const expected = new InvalidArgument("Invalid port in the url: the highest is 65535.");
  expect(() => readServerList(url)).toThrow(expected);
});

it("doesn't change an @ in a parameter", () => {
  const url = "postgres://db1:5432,db2/shop?user=app@azure";
  expect(readServerList(url).servers.map(({ name }) => name)).toEqual(["db1:5432", "db2"]);
});

it.each([
  ["postgres://db1,db2/shop?target_session_attrs=master", /"master".*read-write/],
  ["postgres://db1,db2,db3/shop?port=1,2", /3 hosts and 2 ports/],
  ["postgres://db1:54a,db2/shop", /Invalid server "db1:54a"/],
  ["postgres://::1,::2/shop", /Invalid server "::1"/],
])("rejects %s", (url, message) => {
  expect(() => readServerList(url)).toThrow(InvalidArgument);
  expect(() => readServerList(url)).toThrow(message);
});
