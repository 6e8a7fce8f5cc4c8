import { expect, it } from "vitest";
import { WebhookSignatures } from "../protocol/standard-webhook.ts";
import { SignatureCheck } from "./signature-check.ts";

const KEY = "k".repeat(32);

it("accepts a signature once, however many others come in between", async () => {
  const check = new SignatureCheck([KEY]);
  const signatures = new WebhookSignatures([KEY]);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const refuse = async (id: string): Promise<string | undefined> => {
    const headers: Record<string, string> = {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": await signatures.sign({ id, timestamp, body: "{}" }),
    };
    const request = { hostname: () => "example.org", header: (name: string) => headers[name] };
    return (await check.refuse(request, "{}"))?.detail;
  };
  expect(await refuse("first")).toBeUndefined();
  for (let n = 0; n < 10_000; n += 1) await refuse(`other-${n}`);
  expect(await refuse("first")).toBe("The request was received before.");
});
