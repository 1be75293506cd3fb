import * as ai from "ai";
import { describe, it } from "vitest";
import { allCases } from "./support/all-cases.ts";

// It prints warnings, which are looked at elsewhere.
globalThis.AI_SDK_LOG_WARNINGS = false;

describe("ai 6", () => {
  for (const { name, run } of allCases(ai, "v3")) it(name, run);
});
