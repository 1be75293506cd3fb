import { ignoreRejection } from "@toolglot/internal";

/** Calls an observer, which must not change a run: what it throws is ignored, and so is the rejection of an async one. */
export function observe(call: () => unknown): void {
  try {
    ignoreRejection(call());
  } catch {
    // Said so at SandboxRunOptions.
  }
}
