import type { ContentBlock } from "@toolglot/core";
import { toBase64 } from "@toolglot/internal";
import type { Part } from "./spec.ts";

/** Returns a piece of a result: `media`, `image-data`, `file-url` and so on of older specifications, `file` of v4. */
export function blockOf(part: Part): ContentBlock {
  const { type, filename, fileId } = part;
  if (type === "text") return { type, text: part.text as string };
  let { data, url, mediaType = type.startsWith("image") ? "image/*" : "application/octet-stream" } = part;
  if (typeof data === "object" && data !== null && "type" in data) {
    const file = data as { type: string; data?: unknown; url?: unknown; text?: string };
    if (file.type === "text") return { type: "text", text: file.text ?? "" };
    [data, url] = [file.data, file.url];
  }
  const media = mediaType as string;
  const held = data instanceof Uint8Array ? { data: toBase64(data) } : typeof data === "string" ? { data } : undefined;
  const source = held ?? (url === undefined ? undefined : { url: String(url) });
  if (!source) return { type: "text", text: `[${type}${fileId === undefined ? "" : ` ${JSON.stringify(fileId)}`}]` };
  if (/^image\b/.test(media)) return { type: "image", mediaType: media, ...source };
  if (/^audio\b/.test(media)) return { type: "audio", mediaType: media, ...source };
  // A document at an address is named, not fetched.
  if ("url" in source) return { type: "resource", uri: source.url, mediaType: media };
  return {
    type: "resource",
    uri: `file:${filename ?? media}`,
    mediaType: media,
    title: String(filename ?? ""),
    ...source,
  };
}
