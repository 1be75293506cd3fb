import type { ContentBlock } from "@toolglot/core";
import type { Masker } from "./mask/masker.ts";
import type { Secrets } from "./types.ts";

/** Returns content with its values masked. Text blocks are read as one text, which continues the masker's; all else by itself. */
export function maskBlocks(content: readonly ContentBlock[], masker: Masker, secrets: Secrets): ContentBlock[] {
  return content.map((block) =>
    block.type === "text" ? { ...block, text: masker.write(block.text) + masker.pause() } : secrets.maskData(block),
  );
}

/** As {@link maskBlocks}, for content that nothing follows. */
export function maskWhole(content: readonly ContentBlock[], masker: Masker, secrets: Secrets): ContentBlock[] {
  const blocks = maskBlocks(content, masker, secrets);
  const rest = masker.end();
  const last = blocks.findLast((block) => block.type === "text");
  if (last !== undefined) last.text += rest;
  return blocks;
}
