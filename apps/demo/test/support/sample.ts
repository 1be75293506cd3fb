import { isLong, isThorough, leftToCi } from "@toolglot/internal/testing";
import { it } from "vitest";

/**
 * `it` for a case that a plain run leaves to `.ci/run` unless it belongs to the sample. One that is not for `.ci/run`, because others
 * show the same in less time, is in `npm run test:long`.
 */
export function sampled(inSample: boolean, isForCi = true): (name: string, test: () => unknown) => void {
  return (name, test) => {
    if (isThorough && !isLong && !inSample && !isForCi) return;
    it(name, async (context) => {
      leftToCi(context, inSample);
      await test();
    });
  };
}
