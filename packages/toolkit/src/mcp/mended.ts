import { isObject } from "@toolglot/internal";

/** Key in `_meta` under which a result, a tool or a block keeps what was mended in it, for those who read it. */
export const mendedKey = "toolglot/mended";

/** Returns what was mended. */
export function mendedIn(value: unknown): string[] {
  const meta = isObject(value) && isObject(value._meta) ? value._meta[mendedKey] : undefined;
  return Array.isArray(meta) ? meta.map(String) : [];
}
