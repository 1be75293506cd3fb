import type { RouterStore } from "@toolglot/trp-core/store";
import { forgetEffects } from "@toolglot/trp-mcp";

const day = 86_400_000;
/** Longer than a router remembers operations: an effect that nobody asked for in this time is as good as new. */
const effectsKeptMs = 40 * day;

/** Forgets effects that are as good as new, now and once a day. Returns what ends that. */
export function forgetDaily(store: RouterStore): () => void {
  const forget = (): void => void forgetEffects(store, effectsKeptMs).catch(() => {});
  const timer = setInterval(forget, day).unref();
  forget();
  return () => clearInterval(timer);
}
