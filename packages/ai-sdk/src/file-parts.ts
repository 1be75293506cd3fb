import { type ContentBlock, contentText } from "@toolglot/core";
import type { Part } from "./spec.ts";

// Files differ from one provider specification to the next: bare in v2 and v3, said which they are in v4.

/** Returns a file's data (base64) or address. */
function fileData({ data, url }: { data?: string; url?: string }, version: string): unknown {
  if (version !== "v4") return data ?? new URL(url as string);
  return data === undefined ? { type: "url", url: new URL(url as string) } : { type: "data", data };
}

/** Returns a file of a message. */
export function filePart(
  file: { mediaType: string; name?: string; data?: string; url?: string },
  version: string,
): Part {
  const { mediaType, name } = file;
  return { type: "file", mediaType, data: fileData(file, version), ...(name !== undefined && { filename: name }) };
}

/** Returns a piece of a result; what has neither data nor an address that its specification takes is named in text. */
export function resultPart(block: ContentBlock, version: string): Part {
  if (block.type === "text") return { type: "text", text: block.text };
  const { data, mediaType = "application/octet-stream" } = block;
  const url = block.type === "resource" ? undefined : block.url;
  if (data === undefined && (url === undefined || version === "v2"))
    return { type: "text", text: contentText([block]) };
  if (version === "v4")
    return { type: "file", mediaType, data: fileData(data === undefined ? { url: url as string } : { data }, version) };
  if (version === "v2") return { type: "media", mediaType, data };
  const kind = block.type === "image" ? "image" : "file";
  return data === undefined ? { type: `${kind}-url`, url, mediaType } : { type: `${kind}-data`, data, mediaType };
}
