import type { JsonObject } from "@toolglot/core";
import { canonicalJson } from "@toolglot/internal";
import fc from "fast-check";
import { expect, it } from "vitest";
import { callDigest, operationFingerprint } from "../src/calls/keyed/keys.ts";
import { sha256Digest } from "../src/digest/sha256.ts";

const anyArgs = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
const anyText = fc.string({ unit: "binary" });

it("takes fingerprints over the canonical JSON of capability and arguments", () => {
  fc.assert(
    fc.property(anyText, anyArgs, (capId, args) => {
      expect(operationFingerprint(capId, canonicalJson(args))).toBe(
        sha256Digest(canonicalJson({ cap_id: capId, args })),
      );
    }),
  );
});

it("knows a call by the canonical JSON of capability, arguments and key, or by its digest", () => {
  fc.assert(
    fc.property(anyText, anyArgs, fc.option(anyText), (cap_id, args, idempotency_key) => {
      const text = canonicalJson({ idempotency_key, cap_id, args });
      expect([text, sha256Digest(text)]).toContain(callDigest({ cap_id, args, idempotency_key }));
    }),
  );
  expect(callDigest({ cap_id: "cap.a.v1", args: { a: "x".repeat(1_000) } })).toMatch(/^sha256:[0-9a-f]{64}$/);
});
