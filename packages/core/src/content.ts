/** One piece of what a tool gives back, or of a message. Binary data is base64. */
export type ContentBlock =
  | { type: "text"; text: string }
  | { type: "image"; mediaType: string; data?: string; url?: string }
  | { type: "audio"; mediaType: string; data?: string; url?: string }
  | { type: "resource"; uri: string; mediaType?: string; title?: string; text?: string; data?: string };

/** The text of content blocks, one block a paragraph; blocks without text are named: `[image image/png]`. */
export function contentText(content: readonly ContentBlock[]): string {
  return content.map(blockText).join("\n\n");
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource":
      return block.text ?? `[resource ${block.uri}]`;
    default:
      return `[${block.type} ${block.url ?? block.mediaType}]`;
  }
}
