import type { Diagnostic, Segment, Span } from "@toolglot/core";
import { closesFence, type Fence, openFence, sentIn } from "@toolglot/core/text";
import { diagnostic } from "../diagnostics.ts";
import type { ToolsXmlBlock } from "../types.ts";
import type { Names } from "./grammar.ts";

const closer = /<\/[ \t]{0,8}([^\s<>/]+)\s{0,9}>/g;
const quoted = /^[ \t]*[^\s\p{L}\p{N}<][^\p{L}\p{N}<]*</u;
const inlineCode = /(`{1,3})[^`]+\1/g;
const inner = /^(?:find|replace|file)$/;

/**
 * Returns a call that stands in a text of a message: behind a block whose closing tags show that a body was cut there, or without
 * `<tools>`. For the latter a lone `</tools>` speaks, a line that begins with a call which is closed, and one that holds the
 * closing tag of a call alone. `before`: the segment before the text.
 */
export function findLostCall(
  { text, span }: { text: string; span: Span },
  before: Segment<ToolsXmlBlock> | undefined,
  names: Names,
  repairs: boolean,
): Diagnostic | undefined {
  const block = before?.type === "block" ? before.block : undefined;
  if (block?.status === "truncated") return undefined;
  const found = findLost(text, span.start, block, names);
  if (block && found?.code === "toolsxml/doubtful-close") {
    if (!repairs) {
      found.severity = "error";
      block.status = "invalid";
    } else if (block.status === "complete") block.status = "recovered";
  }
  return found;
}

function findLost(
  text: string,
  offset: number,
  block: ToolsXmlBlock | undefined,
  names: Names,
): Diagnostic | undefined {
  let lost: Diagnostic | undefined;
  let fence: Fence | undefined;
  let closed = false;
  const last = new Map<string, number>();
  let lower: string | undefined;
  let at = 0;
  for (const written of text.split("\n")) {
    const start = at;
    at += written.length + 1;
    if (fence && closesFence(written, fence)) fence = undefined;
    else fence ??= openFence(written, start);
    const line = written.replace(inlineCode, (code) => "`".repeat(code.length));
    if (!line.includes("<") || (fence && !sentIn.test(fence.info))) continue;
    const say = (from: number, end: number): void => {
      lost ??= diagnostic("toolsxml/missing-root", offset + start + from, offset + start + end);
    };
    const call = lost ? null : names.callLine.exec(line);
    if (call) {
      const name = (call[1] as string).toLowerCase();
      if (!last.has(name)) {
        lower ??= text.toLowerCase();
        last.set(name, lower.lastIndexOf(`</${name}`));
      }
      const closes = (last.get(name) as number) > start;
      if (closes || (name !== "input" && /^[^<>]*\/>/.test(line.slice(call[0].length))))
        say(call[0].lastIndexOf("<"), line.length);
    }
    // Signs before a line make it a quotation, or a comment.
    const isShown = quoted.test(line);
    for (const { 0: all, 1: tag, index } of line.matchAll(closer)) {
      const name = (tag as string).toLowerCase();
      const call = names.isCall(name);
      // Its opening tag may stand before reasoning.
      if (call && line.trim() === all) say(index, index + all.length);
      if (name !== "tools") closed ||= call || inner.test(name);
      else if (closed && block)
        return diagnostic("toolsxml/doubtful-close", block.span.end, offset + start + index + all.length);
      else if (lost || (block && text.slice(0, start + index).trim() === "")) continue;
      else if (!isShown && (closed || line.slice(0, index).trim() === "")) say(index, index + all.length);
    }
  }
  return lost;
}
