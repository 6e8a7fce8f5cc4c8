/**
 * `/approve/<token>`: a person decides a request for approval without signing in.
 *
 *   P1  Reading a page decides nothing, since scanners of mail follow links. A form is sent by POST.
 *   P2  The token is all that a page takes: neither cookies nor headers add rights. It names one request and one person.
 *   P3  A page runs no script, loads nothing, and sends its form only to itself; its address stays out of `Referer` of
 *       other sites, and out of caches.
 */
import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApprovalRecipient } from "@oxbow/sdk/internal/server";
import { OxbowError } from "@oxbow/sdk";
import { Type } from "typebox";
import type { App } from "../../http/app.ts";
import { PAGE_HEADERS } from "../../http/content-policy.ts";
import { HttpProblem } from "../../http/problems.ts";
import type { RouteContext } from "../../http/route.ts";
import { UnreadableField, valuesOf } from "./form-fields.ts";
import { checkValues } from "./form-values.ts";
import { type Given, noRequestPage, requestPage, STYLE } from "./page.ts";

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

const HEADERS = {
  ...PAGE_HEADERS,
  "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  // Without any referrer, browsers send forms with the origin "null".
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
} as const;

const LARGEST_FORM = 131_072;
const TOKEN = /^[0-9a-f]{64}$/;
const Linked = Type.Object({ token: Type.String() });

export function addApprovalPages(app: App, context: RouteContext): void {
  /** Undefined if the link leads nowhere. */
  const recipientOf = async (token: string): Promise<ApprovalRecipient | undefined> => {
    if (!TOKEN.test(token)) return undefined;
    try {
      return await context.transport.approvalLinks?.recipientOf(token);
    } catch (error) {
      if (error instanceof OxbowError && error.code === "APPROVAL_NOT_FOUND") return undefined;
      throw error;
    }
  };

  const show = async (token: string, reply: FastifyReply): Promise<FastifyReply> => {
    const recipient = await recipientOf(token);
    if (recipient === undefined) return send(reply, 404, noRequestPage());
    const approval = await context.transport.approvals.get(recipient.approvalId);
    return send(reply, 200, requestPage(approval, recipient.actor));
  };

  const decide = async (
    { params, body, ip }: FastifyRequest<{ Params: { token: string }; Body: unknown }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const recipient = await recipientOf(params.token);
    if (recipient === undefined) return send(reply, 404, noRequestPage());
    const { approvalId, actor, groups } = recipient;
    const { transport } = context;
    const approval = await transport.approvals.get(approvalId);
    const given = (body ?? {}) as Given;
    const decision = given["decision"];
    if (decision !== "approved" && decision !== "rejected") {
      return send(
        reply,
        400,
        requestPage(approval, actor, { problem: "Approve or reject.", given }),
      );
    }
    try {
      const values = valuesOf(approval.form, given);
      // A rejection need not fill in the form: what doesn't fit is left out.
      const isFit = decision === "approved" || fits(approval, values);
      if (decision === "approved") checkValues(approval, decision, values);
      const acting =
        transport.actingFor?.({ actor, kind: "delegate", token: "approval link", address: ip }) ??
        transport;
      await acting.approvals.decide({
        id: approvalId,
        decision,
        values: isFit ? values : undefined,
        actor,
        groups: groups ?? undefined,
      });
    } catch (error) {
      const isRefused =
        error instanceof UnreadableField ||
        error instanceof HttpProblem ||
        (error instanceof OxbowError && REFUSALS.has(error.code));
      if (!isRefused) throw error;
      return send(reply, 400, requestPage(approval, actor, { problem: error.message, given }));
    }
    // The page shows what became of it, and reloading it sends nothing again.
    return reply.headers(HEADERS).redirect(params.token, 303);
  };

  // A scope of its own: other routes refuse forms, which any page can send.
  void app.register(async (pages) => {
    pages.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: LARGEST_FORM },
      (_request, text, done) =>
        done(null, Object.fromEntries(new URLSearchParams(String(text)).entries())),
    );
    pages.get<{ Params: { token: string } }>(
      "/approve/:token",
      { schema: { hide: true, params: Linked } },
      ({ params }, reply) => show(params.token, reply),
    );
    pages.post<{ Params: { token: string }; Body: unknown }>(
      "/approve/:token",
      { schema: { hide: true, params: Linked }, bodyLimit: LARGEST_FORM },
      decide,
    );
  });
}

const send = (reply: FastifyReply, status: number, html: string): FastifyReply =>
  reply.code(status).headers(HEADERS).type("text/html; charset=utf-8").send(html);

const REFUSALS: ReadonlySet<string> = new Set(["NOT_AN_APPROVER", "PAYLOAD_TOO_LARGE"]);

function fits(
  approval: Parameters<typeof checkValues>[0],
  values: Parameters<typeof checkValues>[2],
): boolean {
  try {
    checkValues(approval, "approved", values);
    return true;
  } catch {
    return false;
  }
}
