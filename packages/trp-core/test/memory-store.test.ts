import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { describe, expect, it } from "vitest";
import { MemoryStore } from "../src/store/memory-store.ts";
import { operationLogSuite, storeSuite } from "../src/store-suite/index.ts";

describe("MemoryStore", () => {
  it.each(storeSuite)("$name", async ({ run }) => run(async ({ now }) => new MemoryStore({ now })));
});

describe("operation log of MemoryStore", () => {
  it.each(operationLogSuite)("$name", async ({ run }) => run(async ({ now }) => new MemoryStore({ now }).operations));
});

describe("MemoryOperationLog", () => {
  it.each(operationLogSuite)("$name", async ({ run }) => run(async ({ now }) => new MemoryOperationLog({ now })));
});

it("should say that it survives nothing", () => {
  expect(new MemoryStore()).toMatchObject({ name: "memory", durability: "none" });
  expect(() => new MemoryStore({ keepAuditRows: 0 })).toThrow(TypeError);
});
