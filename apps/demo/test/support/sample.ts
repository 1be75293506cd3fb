import { it } from "vitest";

/** Whether everything is run, as `.ci/run` asks; a plain run takes the samples that its tests name. */
export const everything: boolean = process.env.TOOLGLOT_REQUIRE_ALL === "1";

/** `it` for a case that a plain run leaves to `.ci/run` unless it belongs to the sample. */
export function sampled(inSample: boolean): (name: string, test: () => unknown) => void {
  return (name, test) => {
    it(name, async (context) => {
      if (!everything && !inSample) context.skip("left to .ci/run");
      await test();
    });
  };
}
