import { isContextOverflow as isOverflow } from "@toolglot/internal";

/**
 * Whether a model's error says that the request was longer than its context: by its code (`context-overflow`), its status 413, or its
 * words. A status of 429 never says so, whatever the words.
 */
export function isContextOverflow(error: unknown): boolean {
  return isOverflow(error);
}
