import { drawn, leftToCi } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { toolglot } from "../src/trp/implementations/toolglot.ts";
import { mutants, mutated } from "../src/trp/mutants.ts";
import { conversationFailures } from "../src/trp/run.ts";
import { readTrpVectors } from "../src/trp/vector.ts";

const vectors = readTrpVectors().flatMap((file) => file.vectors);

const names = Object.keys(mutants);
const sample = drawn(names, 6);

it.for(names)("notices a router that %s", async (name, context) => {
  leftToCi(context, sample.includes(name));
  const router = mutated(toolglot, name);
  for (const vector of vectors) {
    const found = await conversationFailures(router, vector).catch((error: unknown) => [String(error)]);
    if (found.length > 0) return;
  }
  expect.fail("no vector noticed");
});

it("fails a conversation whose seq is not as the vector says", async () => {
  const [frame] = [{ frame_type: "CALL_REQ", seq: 9 }];
  const found = await conversationFailures(toolglot, {
    name: "wrong",
    spec: "none",
    steps: [{ send: frame as never, fault: { code: "TRP_1002", class: "ORDER_VIOLATION" } }],
  });
  expect(found.join("\n")).toContain("expected_seq");
});
