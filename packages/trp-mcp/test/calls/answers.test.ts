import { errorCodes } from "@toolglot/trp-core/frames";
import { expect, it } from "vitest";
import { fixOf } from "../../src/calls/answers.ts";

it.each(Object.entries(errorCodes))(
  "says what to do about %s to a caller who has tools and no frames",
  (code, { cure }) => {
    const fix = fixOf(code, cure, {});
    expect(fix).toMatch(/^[A-Z].*\.$/);
    expect(fix).not.toMatch(/frame|retry_hint|cap_id|call_id|_ms|idempotency_key/);
  },
);

it("names no hint that the caller is not shown", () => {
  expect(fixOf("TRP_5003", errorCodes.TRP_5003.cure, {})).toBe("Wait a little, then call again.");
});
