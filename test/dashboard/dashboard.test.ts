/**
 * The dashboard, in a real browser over a real server: runs, queues and who may see them. `pages.test.ts` has the rest. The tests
 * of a page are in `<page>.spec.ts`.
 */
import { beforeAll, describe } from "vitest";
import { describeConversation } from "./conversation.spec.ts";
import { describeFiles } from "./files.spec.ts";
import { describeLists } from "./lists.spec.ts";
import { describeRun } from "./run.spec.ts";
import { describeRuns } from "./runs.spec.ts";
import { describeScreenshots } from "./screenshots.spec.ts";
import { describeShell } from "./shell.spec.ts";
import { describeSignIn } from "./sign-in.spec.ts";
import { browserPath, setupWorld } from "./world.ts";

beforeAll(setupWorld);

describe("the dashboard's files", () => {
  describeFiles();
});

// First, while nothing else is in the database.
describe.skipIf(browserPath === undefined || process.env["OXBOW_SCREENSHOTS"] === undefined)(
  "the pictures of the documentation",
  () => {
    describeScreenshots();
  },
);

const missing = browserPath === undefined ? ": no Chromium, so set OXBOW_TEST_BROWSER" : "";

describe.skipIf(browserPath === undefined)(`the dashboard${missing}`, () => {
  describe("the shell", () => {
    describeShell();
  });
  describe("the list of runs", () => {
    describeRuns();
  });
  describe("the page of a run", () => {
    describeRun();
  });
  describe("the conversation of a run", () => {
    describeConversation();
  });
  describe("lists", () => {
    describeLists();
  });
  describe("the sign-in", () => {
    describeSignIn();
  });
});
