import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { rounds } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { javascriptSandbox } from "../../own-sandbox.ts";

it.skipIf(process.platform !== "linux")(
  "should leave no file open when it is disposed while interpreters start (files are in /proc on Linux only)",
  async () => {
    await using first = javascriptSandbox();
    expect(await first.run("__result__ = 1")).toMatchObject({ status: "ok" });
    await first[Symbol.asyncDispose]();
    const open = (): number => readdirSync("/proc/self/fd").length;
    const before = open();
    for (let round = 0; round < 16; round += rounds(2, 1)) {
      const sandbox = javascriptSandbox({ pool: { size: 4 } });
      const warm = sandbox.warm().catch(() => {});
      await sleep(5 * round);
      await sandbox[Symbol.asyncDispose]();
      await warm;
    }
    expect(open()).toBeLessThanOrEqual(before + 2);
  },
);
