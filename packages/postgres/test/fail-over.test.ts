import { describe, expect, it } from "vitest";
import { findPostgres } from "../../../scripts/lib/postgres-server.mjs";
import { loseWrites } from "./chaos/lost-writes.ts";

// `npm run chaos -- fail-over` promotes a synchronous standby under load.
const found = findPostgres();
const skip = "skip" in found ? found.skip : undefined;

describe.skipIf(skip)(`a standby that takes over${skip ? ` (${skip})` : ""}`, () => {
  it("should tell that an asynchronous one lacks what was acknowledged, to who wrote it and to who comes next", async () => {
    const { refused, astray, back, writer, next, reported } = await loseWrites();
    expect(refused).toBe("trp/store-readonly");
    // As long as it follows the primary it is only of no use.
    expect(astray[0]).toBe("trp/store-readonly");
    expect(astray[1]).not.toContain("trp/store-lost-writes");
    expect(back).toBe("claimed");
    expect(writer).toBe("trp/store-lost-writes");
    expect(next).toBe("trp/store-lost-writes");
    expect(reported).toContain("trp/store-lost-writes");
  });
});
