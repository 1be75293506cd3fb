/** Calls an observer, which must not change a run: what it throws is ignored, and so is the rejection of an async one. */
export function observe(tell: () => unknown): void {
  try {
    const told = tell();
    if (told !== undefined) Promise.resolve(told).catch(() => {});
  } catch {
    // Said so at SandboxRunOptions.
  }
}
