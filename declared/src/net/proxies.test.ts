import { expect, it } from "vitest";
import { parseProxy, Proxies } from "./proxies.ts";

const proxies = new Proxies({
  https: "http://proxy:3128",
  except: ["Example.org", ".internal", "ported.test:8443", "10.0.0.0/8", "fd00::/8"],
});

it.each([
  "https://example.com/",
  "https://notexample.org/",
  "https://ported.test/",
  "https://11.0.0.1/",
  "https://[fe80::1]/",
])("goes through the proxy to %s", (url) => {
  expect(proxies.for(new URL(url))).toBe("http://proxy:3128");
});

it.each([
  "https://example.org/",
  "https://a.b.example.org./",
  "https://x.internal/",
  "https://ported.test:8443/",
  "https://10.1.2.3/",
  "https://[fd00::1]/",
  "http://example.com/",
])("goes directly to %s", (url) => {
  expect(proxies.for(new URL(url))).toBeUndefined();
});

it("uses no proxy if all hosts are excepted", () => {
  expect(new Proxies({ https: "http://p", except: ["*"] }).for(new URL("https://a.b"))).toBe(
    undefined,
  );
});

it("accepts a proxy without its scheme, and hides the password of an invalid one", () => {
  expect(parseProxy("proxy.test:3128")).toBe("http://proxy.test:3128");
  expect(() => parseProxy("socks5://me:hunter2@proxy")).toThrow(/give the url of a proxy/);
  expect(() => parseProxy("socks5://me:hunter2@proxy")).not.toThrow(/hunter2/);
});
