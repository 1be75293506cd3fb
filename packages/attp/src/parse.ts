import type { EndOptions, JsonValue, ParseResult, Parser, Segment } from "@toolglot/core";
import { parse as parseToml } from "smol-toml";
import type { AttpDocument, AttpParseOptions, AttpParserOptions, AttpToolCall } from "./types.ts";

const fence = /^[ \t]*(`{3,}|~{3,})[ \t]*(?:toml)?[ \t]*\n([\s\S]*?)\n[ \t]*\1[ \t]*$/im;

/** Reads the documents of a whole text. */
export function parse(text: string, options: AttpParseOptions = {}): ParseResult<AttpDocument> {
  const parser = createParser(options);
  parser.feed(text);
  return parser.end();
}

/** A push parser. */
export function createParser(options: AttpParserOptions = {}): Parser<AttpDocument> {
  let parts: string[] = [];
  return {
    feed(chunk: string): void {
      parts.push(chunk);
    },
    end(_end?: EndOptions): ParseResult<AttpDocument> {
      const text = parts.join("");
      const match = fence.exec(text);
      const start = match ? match.index + match[0].indexOf("\n") + 1 : text.search(/^(?:thought\s*=|\[tool_call\])/m);
      if (start < 0) {
        if (text) options.onEvent?.({ phase: "text", type: "text-delta", text });
        return {
          segments: text ? [{ type: "text", text, span: { start: 0, end: text.length } }] : [],
          blocks: [],
          diagnostics: [],
        };
      }
      const end = match ? start + (match[2] ?? "").length : text.length;
      const block = read(text, start, end);
      options.onEvent?.({ phase: "block-start", type: "document-start", start });
      if (block.thought) options.onEvent?.({ phase: "delta", type: "thought-delta", text: block.thought });
      if (block.toolCall?.code) options.onEvent?.({ phase: "delta", type: "code-delta", text: block.toolCall.code });
      options.onEvent?.({ phase: "block-end", type: "document-end", block });
      const segments: Segment<AttpDocument>[] = [{ type: "block", block, span: { start, end } }];
      return { segments, blocks: [block], diagnostics: [] };
    },
    reset(): void {
      parts = [];
    },
  };
}

function read(text: string, start: number, end: number): AttpDocument {
  try {
    const { thought, tool_call, ...extra } = parseToml(text.slice(start, end)) as Record<string, JsonValue>;
    return {
      status: "complete",
      span: { start, end },
      extra,
      ...(typeof thought === "string" ? { thought } : {}),
      toolCall: tool_call as unknown as AttpToolCall,
    };
  } catch {
    return { status: "invalid", span: { start, end }, extra: {} };
  }
}
