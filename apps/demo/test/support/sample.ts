import { leftToCi } from "@toolglot/internal/testing";
import { it } from "vitest";

/** `it` for a case that a plain run leaves to `.ci/run` unless it belongs to the sample. */
export function sampled(inSample: boolean): (name: string, test: () => unknown) => void {
  return (name, test) => {
    it(name, async (context) => {
      leftToCi(context, inSample);
      await test();
    });
  };
}
