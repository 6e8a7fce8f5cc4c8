/** Webhook triggers: deliveries that start runs, and their addresses and secrets. */
import type { IncomingHttpHeaders } from "node:http";
import { TRIGGER_HOOKS } from "@oxbow/declared/internal";
import { Type } from "typebox";
import { checkNumbers, textOf } from "../../http/exact-json.ts";
import { HttpProblem } from "../../http/problems.ts";
import { route, type Route } from "../../http/route.ts";
import { oneOf } from "../../http/schemas.ts";
import { forgeryOf, verify } from "../../services/hook-verification.ts";
import { Named } from "../definitions/shapes.ts";

/** Largest body of a delivery. */
const LARGEST_BYTES = 1024 * 1024;

const receive: Route = route({
  method: "POST",
  path: "/v1/hooks/:hook_id",
  bodyLimit: LARGEST_BYTES,
  takesAnyBody: true,
  summary: "Deliver to a webhook trigger",
  description:
    "The body is any JSON of at most 1 MiB. Its signature or token proves where it comes from, as verify of the trigger requires; no token of the server is needed. Workers evaluate the guard of the trigger after the answer. A second delivery with the same id, or with the same body if no id is signed, within 7 days is the same event.",
  params: Type.Object({ hook_id: Type.String({ pattern: "^[0-9a-f]{32}$" }) }),
  response: {
    202: Type.Object({
      eventId: Type.String({ description: "With which explain answers what it came to." }),
      isNew: Type.Boolean({ description: "False for a second delivery." }),
    }),
  },
  handler: async ({ params: { hook_id: id }, headers, body }, { transport, secrets }, reply) => {
    if (!secrets.areThere) throw unsigned();
    const hooks = transport.room(TRIGGER_HOOKS);
    if (hooks === undefined) throw unknownHook();
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const delivery = { headers, body: bytes, now: Math.floor(Date.now() / 1_000) };
    const known = secrets.ofHook(id);
    // Before the webhook is looked up: anyone may send addresses that don't exist.
    const forgery = forgeryOf(delivery, known);
    if (forgery !== undefined) throw new HttpProblem("HOOK_NOT_VERIFIED", forgery);
    const hook = await hooks.find(id);
    if (hook === undefined) throw unknownHook();
    const verified = verify(hook, delivery, known);
    if (!verified.isGenuine) throw new HttpProblem("HOOK_NOT_VERIFIED", verified.reason);
    const { deliveryId, identity } = verified;
    const event = { delivery_id: deliveryId, headers: shown(headers), body: parse(bytes) };
    const received = await hooks.receive(id, event, identity);
    if (received === undefined) throw unknownHook();
    return reply.code(202).send(received);
  },
});

/** Signatures are of the bytes of the body, so this route parses it itself. */
export const receiveHook: Route = {
  addTo: (app, context, name, tag) => {
    void app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(
        /^application\/(json|[\w.-]+\+json)\b/,
        { parseAs: "buffer", bodyLimit: LARGEST_BYTES },
        (_request, body, done) => done(null, body),
      );
      receive.addTo(scope, context, name, tag);
    });
  },
};

export const listHooks: Route = route({
  method: "GET",
  path: "/v1/definitions/:name/hooks",
  scope: "publish",
  summary: "List the webhooks of a definition",
  description: "Returns the webhook triggers of the published version, with their secrets.",
  params: Named,
  response: {
    200: Type.Object({
      hooks: Type.Array(
        Type.Object({
          trigger: Type.String(),
          path: Type.String({ description: "To which deliveries are posted." }),
          verify: oneOf(["signature", "github", "token"]),
          secrets: Type.Array(Type.String(), {
            description:
              "For the sender, as whsec_…; the current secret comes first. Empty without OXBOW_WEBHOOK_SECRETS, and in a sandbox.",
          }),
        }),
      ),
    }),
  },
  handler: async ({ params: { name } }, { transport, secrets }) => {
    const hooks = (await transport.room(TRIGGER_HOOKS)?.ofDefinition(name)) ?? [];
    const own = await transport.fork?.incarnation();
    return {
      hooks: hooks.map(({ hookId, trigger, verify: how }) => ({
        trigger,
        path: `/v1/hooks/${hookId}`,
        verify: how,
        secrets: own?.state === "sandbox" ? [] : secrets.ofHook(hookId),
      })),
    };
  },
});

const unknownHook = (): HttpProblem =>
  new HttpProblem(
    "HOOK_NOT_FOUND",
    "There is no such webhook. Its definition may have been archived, or published without the trigger.",
  );

const unsigned = (): HttpProblem =>
  new HttpProblem(
    "NOT_SIGNED",
    "Deliveries can't be verified, because the server has no webhook secret: set OXBOW_WEBHOOK_SECRETS.",
  );

function parse(body: Buffer): unknown {
  const text = textOf(body);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpProblem("INVALID_JSON", "The body isn't JSON.");
  }
  checkNumbers(text, "body");
  return value;
}

/** Headers that guards may read: they are kept with the event, so headers with secrets are left out. */
const SECRET =
  /signature|token|secret|key|auth|cookie|forwarded|real-ip|client-ip|jwt|assertion|oidc|principal|passw|credential|cert|session|csrf/;
const MOST_HEADERS = 50;
const LONGEST_HEADER = 1_000;

function shown(headers: IncomingHttpHeaders): Record<string, string> {
  const found = Object.entries(headers).flatMap(([name, value]) =>
    /^x-[a-z0-9-]+$/.test(name) && !SECRET.test(name) && typeof value === "string"
      ? [[name, value.slice(0, LONGEST_HEADER)] as const]
      : [],
  );
  return Object.fromEntries(found.slice(0, MOST_HEADERS));
}
