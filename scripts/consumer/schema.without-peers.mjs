// Run where @toolglot/schema is installed and ajv isn't: all but the entry for it works, and that says what is missing.
import assert from "node:assert/strict";
import { toInputSchema } from "@toolglot/schema";

const result = toInputSchema({ days: "integer" }).validate({ days: "3" });
assert.deepEqual(result, {
  success: true,
  value: { days: 3 },
  conversions: [{ path: "days", from: "string", to: "integer" }],
});
await assert.rejects(import("@toolglot/schema/ajv"), /Cannot find package 'ajv'/);
