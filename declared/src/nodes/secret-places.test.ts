import { describe, expect, it } from "vitest";
import { checkDocument } from "../check/check-document.ts";
import { TriggerProgram } from "../triggers/trigger-program.ts";
import { ExpressionCache } from "../expression/expression-cache.ts";
import { HTTP_REQUEST } from "./descriptors/http-request.ts";
import { defineNode } from "./node-type.ts";
import { parameterCheckOf } from "./call.ts";
import { handlerReader, reader } from "./parameters.ts";
import { misplacedSecrets } from "./secret-places.ts";

const KEY = { $secret: "key" };
const marked = { type: "string", widget: "secret" };

describe("secrets in parameters", () => {
  it("are taken where the schema marks them, through references and alternatives", () => {
    const schema = {
      type: "object",
      $defs: { token: { anyOf: [marked, { type: "null" }] } },
      properties: {
        token: { $ref: "#/$defs/token" },
        text: { type: "string" },
        list: { type: "array", items: { oneOf: [{ properties: { inner: marked } }] } },
      },
      additionalProperties: { $ref: "#/$defs/token" },
    };
    const { descriptor } = defineNode({ type: "keys", params: schema, run: () => null });
    const params = { token: KEY, other: KEY, list: [{ inner: KEY, outer: KEY }], text: KEY };
    expect(misplacedSecrets(params, descriptor)).toEqual([
      { name: "key", pointer: "/list/0/outer" },
      { name: "key", pointer: "/text" },
    ]);
  });

  it("are taken anywhere by a type whose schema marks no place", () => {
    const { descriptor } = defineNode({
      type: "any",
      params: { type: "object" },
      run: () => null,
    });
    expect(misplacedSecrets({ a: [KEY] }, descriptor)).toEqual([]);
    expect(misplacedSecrets({ a: [KEY] }, { ...descriptor, takesSecrets: false })).toHaveLength(1);
    expect(misplacedSecrets({ a: { $literal: KEY } }, HTTP_REQUEST)).toEqual([]);
  });

  it("of a request are taken for its authentication, and refused by the checker elsewhere", () => {
    const auth = { basic: { username: KEY, password: KEY } };
    const params = { url: "https://example.com", headers: { "x-key": KEY }, body: [KEY], auth };
    const document = {
      format: 1,
      name: "keys",
      nodes: { post: { type: "http.request@1", params } },
    };
    const { problems } = checkDocument(document, {
      nodeType: (type) => (type === HTTP_REQUEST.type ? HTTP_REQUEST : undefined),
    });
    expect(problems.map(({ code, pointer }) => `${code} ${pointer}`).toSorted()).toEqual([
      "MISPLACED_SECRET /nodes/post/params/auth/basic/username",
      "MISPLACED_SECRET /nodes/post/params/body/0",
      "MISPLACED_SECRET /nodes/post/params/headers/x-key",
    ]);
  });

  it("fail the node elsewhere, rather than being used as their names", () => {
    const type = defineNode({
      type: "marked",
      params: { type: "object", properties: { token: marked } },
      run: () => null,
    });
    const check = (params: object) =>
      parameterCheckOf(
        "post",
        { type: type.id, params: params as Record<string, never> },
        type,
      )({});
    expect(check({ token: KEY })).toEqual({ token: "key" });
    expect(() => check({ token: KEY, text: KEY })).toThrow(
      'The secret "key" can\'t be opened at /text of the parameters: name it in a parameter that takes secrets.',
    );
    expect(() => reader({ a: KEY })({})).toThrow(/secret "key" can't be opened here/);
    expect(handlerReader({ a: KEY })({})).toEqual({ a: "key" });
    const trigger = new TriggerProgram({ on: "t", input: { a: KEY } }, new ExpressionCache());
    expect(() => trigger.input({ variables: {} })).toThrow(/secret "key" can't be opened here/);
  });
});
