import { isLong } from "@toolglot/internal/testing";
import { it } from "vitest";

/** `it` for a case of which `npm test` and `.ci/run` have those of the sample, and `npm run test:long` all. */
export function sampled(inSample: boolean): (name: string, test: () => unknown) => void {
  return (name, test) => {
    if (isLong || inSample)
      it(name, async () => {
        await test();
      });
  };
}
