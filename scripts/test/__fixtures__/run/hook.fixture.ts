import { beforeAll, describe, it } from "vitest";

describe("a group whose hook fails", () => {
  beforeAll(() => {
    throw new Error("no set-up");
  });
  it("never gets its turn", () => {});
});
