import { expect, it } from "vitest";
import type { AccessKey } from "./access-keys.ts";
import { SignatureFailure, SignatureVerifier, type SignedRequest } from "./sigv4.ts";

// The key, the requests and the signatures of AWS's own examples and test suite.
const EXAMPLE: AccessKey = {
  id: "AKIDEXAMPLE",
  secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  scopes: new Set(["produce"]),
};
const NOW = new Date("2015-08-30T12:36:00Z");

interface Example {
  readonly method?: string;
  readonly url?: string;
  readonly service?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly signed?: string;
  readonly signature: string;
  readonly body?: string;
}

/** A request of the test suite. */
const exampleRequest = ({
  method = "GET",
  url = "/",
  service = "service",
  headers = {},
  signed = "host;x-amz-date",
  signature,
  body = "",
}: Example): SignedRequest => ({
  method,
  url,
  headers: {
    host: "example.amazonaws.com",
    "x-amz-date": "20150830T123600Z",
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/${service}/aws4_request, SignedHeaders=${signed}, Signature=${signature}`,
  },
  body: Buffer.from(body),
});

const VANILLA = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";

const verify = (request: SignedRequest, now = NOW, service = "service"): AccessKey =>
  new SignatureVerifier([EXAMPLE], service).verify(request, now);

function refusal(request: SignedRequest, now = NOW): SignatureFailure {
  try {
    verify(request, now);
  } catch (error) {
    if (!(error instanceof SignatureFailure)) throw error;
    if (!error.message.includes(EXAMPLE.secret)) return error;
  }
  throw new Error("The request was accepted, or its secret was shown.");
}

const vanilla = exampleRequest({ signature: VANILLA });

it.each<[string, Example]>([
  ["get-vanilla", { signature: VANILLA }],
  [
    "get-vanilla-query-order-key-case",
    {
      url: "/?Param2=value2&Param1=value1",
      signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    },
  ],
  [
    "get-vanilla-empty-query-key",
    {
      url: "/?Param1=value1",
      signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb",
    },
  ],
  [
    "get-utf8",
    {
      url: "/ሴ",
      signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
    },
  ],
  [
    "get-vanilla-utf8-query",
    {
      url: "/?ሴ=bar",
      signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
    },
  ],
  ["normalize-path/get-relative", { url: "/example/..", signature: VANILLA }],
  [
    "normalize-path/get-slashes",
    {
      url: "//example//",
      signature: "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
    },
  ],
  ["normalize-path/get-slash-dot-slash", { url: "/./", signature: VANILLA }],
  [
    "normalize-path/get-space",
    {
      url: "/example space/",
      signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
    },
  ],
  [
    "get-header-value-trim",
    {
      headers: { "my-header1": " value1", "my-header2": ' "a   b   c"' },
      signed: "host;my-header1;my-header2;x-amz-date",
      signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    },
  ],
  [
    "get-header-key-duplicate",
    {
      headers: { "my-header1": ["value2", "value2", "value1"] },
      signed: "host;my-header1;x-amz-date",
      signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
    },
  ],
  [
    "post-vanilla",
    {
      method: "POST",
      signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    },
  ],
  [
    "post-x-www-form-urlencoded",
    {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      signed: "content-type;host;x-amz-date",
      body: "Param1=value1",
      signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    },
  ],
  [
    "the ListUsers of the documentation",
    {
      url: "/?Action=ListUsers&Version=2010-05-08",
      service: "iam",
      headers: {
        host: "iam.amazonaws.com",
        "content-type": "application/x-www-form-urlencoded; charset=utf-8",
      },
      signed: "content-type;host;x-amz-date",
      signature: "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
    },
  ],
])("AWS's example %s is accepted", (_name, example) => {
  expect(verify(exampleRequest(example), NOW, example.service)).toBe(EXAMPLE);
});

it("a signature is accepted for five minutes before and after its time", () => {
  const at = (ms: number): Date => new Date(NOW.getTime() + ms);
  for (const ms of [-300_000, 0, 300_000]) expect(verify(vanilla, at(ms))).toBe(EXAMPLE);
  expect(refusal(vanilla, at(300_001))).toMatchObject({
    reason: "mismatch",
    message:
      "The signature of 20150830T123600Z has expired: the server's clock is at 2015-08-30T12:41:00.001Z.",
  });
  expect(refusal(vanilla, at(-300_001)).message).toMatch(/from the future/);
});

it.each<[string, Partial<SignedRequest>]>([
  ["method", { method: "POST" }],
  ["path", { url: "/other" }],
  ["query", { url: "/?a=1" }],
  ["body", { body: Buffer.from("x") }],
  ["host", { headers: { ...vanilla.headers, host: "other.amazonaws.com" } }],
  ["time", { headers: { ...vanilla.headers, "x-amz-date": "20150830T123601Z" } }],
])("another %s than the signed one is a mismatch", (_name, change) => {
  expect(refusal({ ...vanilla, ...change })).toMatchObject({
    reason: "mismatch",
    message: expect.stringMatching(
      /^The signature does not match\. Check the secret of access key/,
    ),
  });
});

const authorization = String(vanilla.headers["authorization"]);
const withAuthorization = (text: string | undefined): SignedRequest => ({
  ...vanilla,
  headers: { ...vanilla.headers, authorization: text },
});

it.each<[string, SignatureFailure["reason"], RegExp, string | undefined]>([
  ["no signature", "missing", /is not signed/, undefined],
  ["a token", "malformed", /must begin with AWS4-HMAC-SHA256/, "Bearer secret"],
  ["another algorithm", "malformed", /must begin/, authorization.replace("HMAC-SHA256", "ECDSA")],
  ["nothing behind it", "malformed", /lacks Credential/, "AWS4-HMAC-SHA256 "],
  [
    "an unknown key",
    "unknown-key",
    /^The server has no access key "AKIDOTHER"\.$/,
    authorization.replace("AKIDEXAMPLE", "AKIDOTHER"),
  ],
  [
    "another service",
    "mismatch",
    /is for the service "sns", not for "service"/,
    authorization.replace("/service/", "/sns/"),
  ],
  ["another day", "mismatch", /"20150829", is not/, authorization.replace("20150830", "20150829")],
  [
    "another region",
    "mismatch",
    /does not match/,
    authorization.replace("us-east-1", "eu-central-1"),
  ],
  ["no region", "malformed", /The credential must be/, authorization.replace("us-east-1", "")],
  ["another terminator", "malformed", /aws4_request/, authorization.replace("aws4_", "aws5_")],
  [
    "an unsigned host",
    "malformed",
    /header host must be signed/,
    authorization.replace("host;x-amz-date", "x-amz-date"),
  ],
  [
    "an unsigned time",
    "malformed",
    /header x-amz-date must be signed/,
    authorization.replace("host;x-amz-date", "host"),
  ],
  [
    "signed headers in capitals",
    "malformed",
    /in lower case/,
    authorization.replace("host;", "Host;"),
  ],
  [
    "a signed header that was not sent",
    "mismatch",
    /signed header __proto__ was not sent/,
    authorization.replace("host;", "__proto__;host;"),
  ],
  ["a short signature", "mismatch", /does not match/, authorization.slice(0, -1)],
  ["no signature in it", "malformed", /lacks Signature/, authorization.slice(0, -64)],
  ["a part twice", "malformed", /Signature twice/, `${authorization}, Signature=${VANILLA}`],
])("a request with %s is refused as %s", (_name, reason, message, text) => {
  expect(refusal(withAuthorization(text))).toMatchObject({
    reason,
    message: expect.stringMatching(message),
  });
});

it.each([undefined, "20150830", "20151330T123600Z", "Sun, 30 Aug 2015 12:36:00 GMT"])(
  "the time %s is malformed",
  (time) => {
    const headers = { ...vanilla.headers, "x-amz-date": time };
    expect(refusal({ ...vanilla, headers }).reason).toBe("malformed");
  },
);

it("a session token is refused", () => {
  const headers = { ...vanilla.headers, "x-amz-security-token": "token" };
  expect(refusal({ ...vanilla, headers }).reason).toBe("unknown-key");
});

it("a target that is not signed is refused", () => {
  const headers = { ...vanilla.headers, "x-amz-target": "AmazonSQS.PurgeQueue" };
  expect(refusal({ ...vanilla, headers })).toMatchObject({
    reason: "malformed",
    message: "The header x-amz-target must be signed.",
  });
});

it("the hash of the body that a client sends must be the body's", () => {
  const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const withHash = (hash: string): SignedRequest => ({
    ...vanilla,
    headers: { ...vanilla.headers, "x-amz-content-sha256": hash },
  });
  expect(verify(withHash(empty))).toBe(EXAMPLE);
  for (const hash of ["UNSIGNED-PAYLOAD", empty.replace("e3", "e4")]) {
    expect(refusal(withHash(hash)).message).toMatch(/x-amz-content-sha256/);
  }
});

it("a server without access keys refuses all signatures", () => {
  expect(() => new SignatureVerifier([], "service").verify(vanilla, NOW)).toThrow(
    "The server has no access keys. Set OXBOW_ACCESS_KEYS.",
  );
});

it("the kept key of a day does not serve another region, day or access key", () => {
  const other = { ...EXAMPLE, id: "AKIDOTHER", secret: "s".repeat(40) };
  const verifier = new SignatureVerifier([EXAMPLE, other], "service");
  const attempts = [
    authorization,
    authorization.replace("us-east-1", "eu-central-1"),
    authorization.replace("AKIDEXAMPLE", "AKIDOTHER"),
    authorization,
  ].map((text) => {
    try {
      return verifier.verify(withAuthorization(text), NOW).id;
    } catch (error) {
      return (error as SignatureFailure).reason;
    }
  });
  expect(attempts).toEqual(["AKIDEXAMPLE", "mismatch", "mismatch", "AKIDEXAMPLE"]);
});
