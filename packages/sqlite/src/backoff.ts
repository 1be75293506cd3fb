import { sleep } from "@toolglot/internal";

/** Waits a little longer each time, 1 to 50 ms, and not as long as others do. */
export async function backoff(attempt: number): Promise<void> {
  const maxMs = Math.min(50, 2 ** Math.min(attempt, 10));
  await sleep(maxMs * (0.5 + Math.random() / 2));
}
