/** Values that only the application can read: a codec encrypts what is journaled, input and output too. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type Codec, createWorkflowClient } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { startDatabase } from "./database.ts";

/** AES-256-GCM. The name of the key goes along, so that it can be changed: old values keep theirs. */
function encryption(keys: ReadonlyMap<string, Buffer>, current: string): Codec {
  const keyOf = (name: string): Buffer => {
    const key = keys.get(name);
    if (key === undefined) throw new Error(`No key "${name}" to decrypt a journaled value with.`);
    return key;
  };
  return {
    encode(value) {
      if (value === undefined) return value;
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", keyOf(current), iv);
      const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
      const sealed = Buffer.concat([iv, cipher.getAuthTag(), text]);
      return { key: current, sealed: sealed.toString("base64") };
    },
    decode(encoded) {
      if (encoded === undefined || encoded === null) return encoded;
      const { key, sealed } = encoded as { key: string; sealed: string };
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", keyOf(key), bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
      return JSON.parse(text.toString()) as unknown;
    },
  };
}

const codec = encryption(new Map([["2026-11", randomBytes(32)]]), "2026-11");

const checkUp = workflow({
  name: "check-up",
  run: async (ctx, input: { patient: string }) => {
    const finding = await ctx.step.run("examine", () => `${input.patient} is well`);
    // Events stay clear, so that the database can match them: keep what is secret out of them.
    await ctx.step.waitForEvent("read", { match: { by: "doctor" } });
    return finding;
  },
});

await using database = await startDatabase();
const worker = checkUp.serve({ url: database.url, codec });
await using client = createWorkflowClient({ url: database.url, codec });

const run = await client.start(checkUp, { patient: "Ada" }, { tags: { ward: 3 } });
await client.signal(run.runId, "read", { by: "doctor" });
console.log(await run.result({ timeout: "10s" }));

// Whoever has no key sees what is not secret.
await using stranger = createWorkflowClient({ url: database.url });
const { input, tags } = await stranger.runs.get("check-up", run.runId);
console.log(Object.keys(input as object), tags);
for (const { name, output } of await stranger.runs.steps(run.runId)) {
  console.log(name, JSON.stringify(output).includes("Ada") ? "is clear" : "is sealed or harmless");
}
await worker.stop();

// Output:
// Ada is well
// [ 'key', 'sealed' ] { ward: 3 }
// examine is sealed or harmless
// read is sealed or harmless
