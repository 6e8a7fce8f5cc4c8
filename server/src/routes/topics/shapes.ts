/** Subscriptions, as answers show them. */
import { maskedUrl } from "@oxbow/declared/net";
import type { Subscription } from "@oxbow/sdk/internal/server";
import type { FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { Id, Instant, Json, nonEmpty, Nullable, oneOf } from "../../http/schemas.ts";

export const Pattern = Type.Object({
  pattern: nonEmpty(
    512,
    "Words separated by dots. * matches one word; # (in a url %23) matches any number of words.",
  ),
});

export const TargetType = oneOf(["queue", "http", "workflow"]);

export const Shown = Type.Object({
  subscriptionId: Id,
  pattern: Type.String(),
  type: TargetType,
  target: Type.String(),
  filter: Json,
  options: Json,
  createdAt: Instant,
  failingSince: Nullable(Instant),
  disabledAt: Nullable(Instant),
  disabledReason: Nullable(Type.String()),
});

type Viewer = Pick<FastifyRequest, "may">;

/** Only administrators see the passwords of urls. */
export const visibleUrl = (url: string, viewer: Viewer): string =>
  viewer.may("admin") ? url : maskedUrl(url);

export const shownTo =
  (viewer: Viewer) =>
  (subscription: Subscription): Static<typeof Shown> => ({
    subscriptionId: subscription.id,
    pattern: subscription.pattern,
    type: subscription.targetType,
    target:
      subscription.targetType === "http"
        ? visibleUrl(subscription.target, viewer)
        : subscription.target,
    filter: subscription.filter,
    options: subscription.options,
    createdAt: subscription.createdAt,
    failingSince: subscription.failingSince,
    disabledAt: subscription.disabledAt,
    disabledReason: subscription.disabledReason,
  });
