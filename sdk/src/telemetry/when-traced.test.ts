import { ProxyTracerProvider, trace } from "@opentelemetry/api";
import { expect, it, onTestFinished } from "vitest";
import { WhenTraced } from "./when-traced.ts";

it("loads a module once, as soon as the API has a tracer", async () => {
  onTestFinished(() => trace.disable());
  let loads = 0;
  const traced = new WhenTraced(() => Promise.resolve({ load: (loads += 1) }));
  expect([traced.load(), traced.module, loads]).toEqual([undefined, undefined, 0]);
  trace.setGlobalTracerProvider(new ProxyTracerProvider());
  await Promise.all([traced.load(), traced.load()]);
  expect([traced.load(), traced.module, loads]).toEqual([undefined, { load: 1 }, 1]);
});

it("a module that is first needed in the middle of something is there a moment later", async () => {
  onTestFinished(() => trace.disable());
  const traced = new WhenTraced(() => Promise.resolve("module"));
  trace.setGlobalTracerProvider(new ProxyTracerProvider());
  expect(traced.module).toBeUndefined();
  await traced.load();
  expect(traced.module).toBe("module");
});

it("without the API, nothing is traced, and nothing fails", async () => {
  onTestFinished(() => trace.disable());
  trace.setGlobalTracerProvider(new ProxyTracerProvider());
  const warned = new Promise<Error>((resolve) => {
    process.once("warning", resolve);
  });
  const traced = new WhenTraced(() => Promise.reject(new Error("Cannot find package")));
  await traced.load();
  expect(traced.module).toBeUndefined();
  expect((await warned).message).toContain("Cannot find package");
});
