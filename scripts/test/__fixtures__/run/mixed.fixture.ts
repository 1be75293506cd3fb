import { describe, expect, it } from "vitest";

it("passes", () => {
  expect(1).toBe(1);
});

it("fails", () => {
  expect(1).toBe(2);
});

it("skips with a reason", (context) => {
  context.skip("no Chromium");
});

it.skip("skips without one", () => {});

describe("a group", () => {
  it.todo("is not written yet");
});
