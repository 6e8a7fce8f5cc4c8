/** The editor of declared workflows, embedded by the example, in a real browser. */
import { beforeAll, describe } from "vitest";
import { describeBuilding } from "./building.spec.ts";
import { describeCanvas } from "./canvas.spec.ts";
import { describeChecks } from "./checks.spec.ts";
import { describeConditions } from "./conditions.spec.ts";
import { describeEveryView } from "./every-view.spec.ts";
import { describeSaving } from "./saving.spec.ts";
import { browserPath, setupWorld } from "./world.ts";

beforeAll(setupWorld);

const missing = browserPath === undefined ? ": no Chromium, so set OXBOW_TEST_BROWSER" : "";

describe.skipIf(browserPath === undefined)(`the editor${missing}`, () => {
  describe("building a workflow", () => {
    describeBuilding();
  });
  describe("the canvas", () => {
    describeCanvas();
  });
  describe("checks", () => {
    describeChecks();
  });
  describe("the field for conditions", () => {
    describeConditions();
  });
  describe("saving and publishing", () => {
    describeSaving();
  });
  describe("every view", () => {
    describeEveryView();
  });
});
