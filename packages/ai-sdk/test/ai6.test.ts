import * as ai from "ai";
import { describe, it } from "vitest";
import { matrix } from "./support/matrix.ts";

// It prints warnings, which are looked at elsewhere.
globalThis.AI_SDK_LOG_WARNINGS = false;

describe("ai 6", () => {
  for (const { name, run } of matrix(ai, "v3")) it(name, run);
});
