import { type Schema, Validator } from "@cfworker/json-schema";
import type { JsonObject } from "@toolglot/core";
import { issueApprovalToken, schemaToTemplate, templateToSchema, verifyApprovalToken } from "@toolglot/trp-core";
import { canonicalJson, isFault } from "@toolglot/trp-core/frames";
import { describe, expect, it } from "vitest";
import { approvalToken, canonical, digest } from "../src/trp/secrets.ts";
import { readTrpValues } from "../src/trp/vector.ts";

interface CanonicalVector {
  name: string;
  json: string;
  canonical: string;
  sha256: string;
}

describe("canonical JSON", () => {
  for (const { name, json, canonical: expected, sha256 } of readTrpValues("canonical-json")
    .values as unknown as CanonicalVector[])
    it(name, () => {
      expect(canonicalJson(JSON.parse(json))).toBe(expected);
      expect(digest(expected)).toBe(sha256);
      expect(canonical(JSON.parse(json))).toBe(expected);
    });
});

interface TokenVector {
  name: string;
  token: string;
  secrets: string[];
  cap_id: string;
  args: JsonObject;
  requester: string;
  /** Seconds. */
  now: number;
  valid: boolean;
  jti?: string;
  sub?: string;
  expires_at?: number;
}

describe("approval tokens", () => {
  for (const vector of readTrpValues("approval-tokens").values as unknown as TokenVector[])
    it(vector.name, () => {
      const verdict = verifyApprovalToken(vector.token, {
        secrets: vector.secrets,
        capId: vector.cap_id,
        args: vector.args,
        requester: vector.requester,
        now: vector.now * 1000,
      });
      expect(!isFault(verdict), JSON.stringify(verdict)).toBe(vector.valid);
      if (isFault(verdict)) {
        expect(verdict).toMatchObject({
          code: "TRP_4002",
          errorClass: "APPROVAL_REQUIRED",
          retryable: false,
          dispatched: false,
        });
        for (const secret of vector.secrets) expect(JSON.stringify(verdict)).not.toContain(secret);
        return;
      }
      if (vector.jti !== undefined) expect(verdict.jti).toBe(vector.jti);
      if (vector.sub !== undefined) expect(verdict.sub).toBe(vector.sub);
      if (vector.expires_at !== undefined) expect(verdict.expiresAt).toBeGreaterThanOrEqual(vector.expires_at * 1000);
    });

  it("are issued as the format says", () => {
    const args = { to: "a@example.com", n: 1 };
    const token = issueApprovalToken({
      secret: "s3cret",
      capId: "cap.mail.send.v2",
      args,
      ttlMs: 300_000,
      sub: "boss-1",
      now: 1_760_000_000_500,
    });
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    expect(claims).toEqual({
      v: 1,
      cap_id: "cap.mail.send.v2",
      args_digest: digest(canonical(args)),
      iat: 1_760_000_000,
      exp: 1_760_000_300,
      jti: expect.stringMatching(/^appr_[0-9a-f]{12}$/),
      sub: "boss-1",
    });
    // The same claims, signed by an independent implementation.
    const own = approvalToken(
      { secret: "s3cret", cap_id: "cap.mail.send.v2", args, jti: claims.jti, sub: "boss-1" },
      1_760_000_000_500,
    );
    expect(token).toBe(own);
  });
});

interface TemplateVector {
  name: string;
  template: Record<string, string>;
  accepts: JsonObject[];
  refuses: JsonObject[];
  /** A schema whose template it is. */
  of?: Record<string, unknown>;
}

describe("argument templates", () => {
  for (const { name, template, accepts, refuses, of } of readTrpValues("arg-template")
    .values as unknown as TemplateVector[])
    it(name, () => {
      const schemas = [templateToSchema(template), ...(of === undefined ? [] : [of])];
      // What a template says, its schema says: to the template and back it still takes and refuses the same.
      schemas.push(templateToSchema(schemaToTemplate(templateToSchema(template))));
      for (const schema of schemas) {
        const validator = new Validator(schema as Schema, "2020-12");
        for (const args of accepts) expect(validator.validate(args).valid, JSON.stringify(args)).toBe(true);
        for (const args of refuses) expect(validator.validate(args).valid, JSON.stringify(args)).toBe(false);
      }
      if (of !== undefined) expect({ ...schemaToTemplate(of) }).toEqual(template);
    });

  for (const bad of readTrpValues("arg-template-faults").values as unknown as {
    name: string;
    template: Record<string, string>;
  }[])
    it(`refuses ${bad.name}`, () => expect(() => templateToSchema(bad.template)).toThrow(TypeError));
});
