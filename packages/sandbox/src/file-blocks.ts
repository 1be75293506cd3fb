import type { ContentBlock } from "@toolglot/core";
import { toBase64 } from "@toolglot/internal";
import type { FileOutput } from "./types.ts";

/** Text of this many bytes is shown to a model as text. */
const maxShownBytes = 4096;
const shownImages: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/**
 * Returns the files as a model gets them: pictures as pictures, short text as text. Their names are the program's, and stand there as data.
 */
export function fileBlocks(files: readonly FileOutput[]): ContentBlock[] {
  if (files.length === 0) return [];
  const list = files.map(({ path, bytes, mediaType }) => `${JSON.stringify(path)} (${mediaType}, ${bytes} bytes)`);
  const blocks = files.flatMap(({ path, mediaType, data }): ContentBlock[] => {
    if (data === undefined) return [];
    if (shownImages.includes(mediaType)) return [{ type: "image", mediaType, data: toBase64(data) }];
    const common = { type: "resource", uri: `file:///mnt/data/${encodeURI(path)}`, mediaType, title: path } as const;
    const text = data.length <= maxShownBytes ? shownText(data) : undefined;
    return [text === undefined ? { ...common, data: toBase64(data) } : { ...common, text }];
  });
  return [{ type: "text", text: `Files in /mnt/data: ${list.join(", ")}` }, ...blocks];
}

/** Returns data as text; undefined for what is no text. */
function shownText(data: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(data);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
