import type { Action, BlockBase, BlockStatus, Diagnostic, ParseResult, Segment, ToolProtocol } from "@toolglot/core";

/**
 * A small text protocol for tests of the loop: `[[call NAME JSON]]`, `[[python SOURCE]]`, `[[decline WORDS]]`, and a
 * block whose word is followed by `!FLAG` has what the flag says (`!invalid`, `!truncated`, `!recovered`, `!value`,
 * `!fabricated`, `!reasoning`). A block that is never closed is truncated. Streams text up to the next bracket.
 */
export interface BracketBlock extends BlockBase {
  word: string;
  rest: string;
}

const blockPattern = /\[\[(\w+)((?:!\w+)*) ?([\s\S]*?)(\]\]|$)/g;

function read(text: string): ParseResult<BracketBlock> {
  const segments: Segment<BracketBlock>[] = [];
  const diagnostics: Diagnostic[] = [];
  let from = 0;
  const addText = (end: number): void => {
    if (end > from) segments.push({ type: "text", text: text.slice(from, end), span: { start: from, end } });
  };
  for (const match of text.matchAll(blockPattern)) {
    const [all, word = "", flagText = "", rest = "", closer = ""] = match;
    const flags = flagText.split("!");
    const span = { start: match.index, end: match.index + all.length };
    addText(span.start);
    from = span.end;
    const flagged = (["invalid", "truncated", "recovered"] as const).find((flag) => flags.includes(flag));
    const status: BlockStatus = closer === "" ? "truncated" : (flagged ?? "complete");
    const block: BracketBlock = { status, span, word, rest };
    if (flags.includes("reasoning")) block.inReasoning = true;
    if (flags.includes("fabricated")) block.afterFabricatedResult = true;
    if (flags.includes("value")) {
      diagnostics.push(finding("bracket/repaired", "warning", "value", "A value was repaired.", span));
    }
    if (status === "invalid" || status === "truncated") {
      diagnostics.push(finding(`bracket/${status}`, "error", "value", `The block is ${status}.`, span));
    }
    segments.push({ type: "block", block, span });
  }
  addText(text.length);
  const blocks = segments.flatMap((segment) => (segment.type === "block" ? [segment.block] : []));
  return { segments, blocks, diagnostics };
}

function finding(
  code: string,
  severity: Diagnostic["severity"],
  affects: Diagnostic["affects"],
  message: string,
  span: Diagnostic["span"],
): Diagnostic {
  return { code, severity, affects, message, span, source: "bracket" };
}

function actionOf({ word, rest, span }: BracketBlock): Action[] {
  if (word === "decline") return [{ kind: "decline", message: rest, span }];
  if (word === "python") return [{ kind: "code", id: "same-id-each-time", language: "python", source: rest, span }];
  if (word !== "call") return [];
  const [name = "", ...json] = rest.split(" ");
  let input: unknown;
  try {
    input = json.length > 0 ? JSON.parse(json.join(" ")) : {};
  } catch {
    input = { text: json.join(" ") };
  }
  return [{ kind: "calls", calls: [{ id: "", name, input, span, protocol: "bracket" }], span }];
}

export function bracketProtocol(): ToolProtocol<BracketBlock> {
  const protocol: ToolProtocol<BracketBlock> = {
    id: "bracket",
    version: "bracket/1",
    stop: [],
    carries: "calls",
    renderTools: (tools) => tools.map((tool) => tool.name).join(", "),
    instructions: (tools, { locale, mode }) => `Tools (${locale}, ${mode}): ${protocol.renderTools(tools)}`,
    createParser({ onEvent }) {
      let text = "";
      let sent = 0;
      const sendText = (end: number): void => {
        if (end > sent) onEvent?.({ phase: "text", type: "text-delta", text: text.slice(sent, end) });
        sent = Math.max(sent, end);
      };
      return {
        feed(chunk) {
          text += chunk;
          const bracket = text.indexOf("[");
          sendText(bracket < 0 ? text.length : bracket);
        },
        end() {
          const result = read(text);
          for (const segment of result.segments) {
            if (segment.type !== "block") {
              sendText(segment.span.end);
              continue;
            }
            sent = segment.span.end;
            onEvent?.({ phase: "block-start", type: "bracket-start", start: segment.span.start });
            onEvent?.({ phase: "delta", type: "rest-delta", text: segment.block.rest });
            onEvent?.({ phase: "block-end", type: "bracket-end", block: segment.block });
          }
          for (const diagnostic of result.diagnostics)
            onEvent?.({ phase: "diagnostic", type: "diagnostic", diagnostic });
          return result;
        },
        reset() {
          text = "";
          sent = 0;
        },
      };
    },
    actions: actionOf,
    formatActions: (actions) =>
      actions
        .flatMap((action) => (action.kind === "calls" ? action.calls : []))
        .map(({ name, input }) => `[${name} ${JSON.stringify(input)}]`)
        .join("\n"),
    formatResults: (results) =>
      results
        .map((result) => `<<${result.status} ${JSON.stringify(result.data ?? result.error?.message)}>>`)
        .join("\n"),
    explain({ diagnostics }) {
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      return errors.length > 0 ? errors.map(({ code, message }) => `${code}: ${message}`).join("\n") : undefined;
    },
    encodeMessages: (messages) =>
      messages.map((message) => {
        const text = message.parts
          .map((part) =>
            part.type === "result" ? protocol.formatResults([part.result]) : "text" in part ? part.text : "",
          )
          .join("\n");
        return { ...message, role: message.role === "tool" ? "user" : message.role, parts: [{ type: "text", text }] };
      }),
  };
  return protocol;
}
