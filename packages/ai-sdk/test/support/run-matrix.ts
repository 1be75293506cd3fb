// For another Node and another version of `ai` than the tests': prints what failed.
import * as ai from "ai";
import { allCases } from "./all-cases.ts";

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
const failed: string[] = [];
const cases = allCases(ai, process.argv[2] === "v3" ? "v3" : "v4");
for (const { name, run } of cases) {
  try {
    await run();
  } catch (error) {
    failed.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
console.log(JSON.stringify({ count: cases.length, failed }));
