import { it } from "vitest";

it("never yields, so that no timeout can end it", () => {
  for (;;);
});
