import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dearSeconds, dearTests, leftOut } from "../lib/dear-tests.mjs";
import { root } from "../lib/workspace.mjs";

describe("the tests that a plain run leaves to .ci/run", () => {
  const dear = { "packages/tam/test/growth.test.ts": 4, "bench/test/walks.apart.test.ts": 4 };

  it("should be the dear ones of what has not changed", () => {
    expect(leftOut([], dear)).toEqual(Object.keys(dear));
    expect(leftOut(["packages/attp/src/parse.ts", "README.md"], dear)).toEqual(Object.keys(dear));
    expect(leftOut(["packages/tam/README.md"], dear)).toEqual(["bench/test/walks.apart.test.ts"]);
    expect(leftOut(["bench/src/main.ts"], dear)).toEqual(["packages/tam/test/growth.test.ts"]);
  });

  it("should be recorded by files that there are, each from the bound on", () => {
    const record = Object.entries(dearTests());
    expect(record.filter(([file]) => !existsSync(join(root, file)))).toEqual([]);
    expect(record.filter(([, seconds]) => seconds < dearSeconds)).toEqual([]);
  });
});
