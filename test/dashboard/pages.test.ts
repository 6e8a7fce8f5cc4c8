/** The dashboard, in a real browser over a real server: the pages of what people make, and rules for every page. */
import { beforeAll, describe } from "vitest";
import { describeApprovals } from "./approvals.spec.ts";
import { describeDefinitions } from "./definitions.spec.ts";
import { describeEndpoints } from "./endpoints.spec.ts";
import { describeCatalog, describeEvents } from "./events.spec.ts";
import { describeEveryPage } from "./every-page.spec.ts";
import { describeNodeType } from "./node-type.spec.ts";
import { describeShards } from "./shards.spec.ts";
import { browserPath, setupWorld } from "./world.ts";

beforeAll(setupWorld);

const missing = browserPath === undefined ? ": no Chromium, so set OXBOW_TEST_BROWSER" : "";

describe.skipIf(browserPath === undefined)(`the dashboard${missing}`, () => {
  describe("definitions", () => {
    describeDefinitions();
  });
  describe("events of triggers", () => {
    describeEvents();
  });
  describe("the catalog", () => {
    describeCatalog();
  });
  describe("approvals", () => {
    describeApprovals();
  });
  describe("endpoints", () => {
    describeEndpoints();
  });
  describe("a fleet of shards", () => {
    describeShards();
  });
  describe("a new node type", () => {
    describeNodeType();
  });
  describe("every page", () => {
    describeEveryPage();
  });
});
