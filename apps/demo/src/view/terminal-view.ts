import type { Diagnostic, ToolErrorInfo } from "@toolglot/core";
import { formatDiagnostic } from "@toolglot/core/diagnostics";
import type { AgentEvent } from "@toolglot/agent";
import { clip, inputText, valueText } from "./brief.ts";
import type { Style } from "./style.ts";
import { visible } from "./visible.ts";
import { StreamWrap } from "./wrap.ts";

/** Where a view draws. */
export interface Screen {
  write(text: string): void;
  /** Columns; read again for every block, since windows change. */
  columns(): number;
  style: Style;
}

/** What a view of a run can be told. */
export interface RunView {
  /** Every event of the run, in order. */
  event(event: AgentEvent): void;
  /** The model's raw text, before the events it causes. */
  modelText(text: string): void;
}

type EventOf<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

// Shown as blocks with a heading of their own; other fields are too short for one.
const shownFields = new Set(["thought", "code", "message"]);
const quietFields = new Set(["status", "target"]);

/** Draws a run for a person: thought, code, tool calls with their times, result, answer, and what went wrong. */
export class TerminalView implements RunView {
  readonly #screen: Screen;
  #block: StreamWrap | undefined;
  #blockKind = "";
  #raw = "";
  #diagnostics: Diagnostic[] = [];
  #answered = false;
  #protocolIsText = true;
  /** What calls were made with, for the lines that their ends draw. */
  readonly #inputs = new Map<string, unknown>();

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  modelText(text: string): void {
    this.#raw += text;
  }

  event(event: AgentEvent): void {
    switch (event.type) {
      case "run-start":
        this.#answered = false;
        this.#protocolIsText = !event.protocol.startsWith("native");
        return;
      case "step-start":
        this.#raw = "";
        this.#diagnostics = [];
        return;
      case "text-delta":
        this.#answered = true;
        return this.#stream("text", event.text);
      case "reasoning-delta":
        return this.#stream("reasoning", event.text);
      case "block-delta":
        return this.#field(event);
      case "block-end":
        return this.#close();
      case "diagnostic":
        this.#diagnostics.push(event.diagnostic);
        return;
      case "action-start":
        return this.#findings();
      case "repair-turn":
        this.#findings();
        return this.#note("warn", `sent back to the model (${event.reason}): ${clip(event.text, 200)}`);
      case "tool-call-start":
        this.#inputs.set(event.callId, event.input);
        return;
      case "tool-call-end":
        return this.#call(event);
      case "log":
        return this.#note("dim", `${event.entry.stream} ${clip(event.entry.text, 200)}`);
      case "approval-response":
        return this.#approval(event);
      case "action-end":
        return this.#results(event);
      case "warning":
        return this.#note("warn", event.message);
      case "run-end":
        return this.#end(event);
      default:
        return;
    }
  }

  /** Opens a block when the kind changes, and adds to it. */
  #stream(kind: string, text: string): void {
    if (this.#block === undefined || this.#blockKind !== kind) {
      if (text.trim() === "") return;
      this.#close();
      this.#open(kind);
    }
    this.#block?.feed(visible(text));
  }

  #open(kind: string): void {
    const { style, write, columns } = this.#screen;
    const plain = kind === "text" || kind === "message";
    if (!plain) write(`  ${style.dim(kind === "code" ? "python" : kind)}\n`);
    const paint = kind === "code" ? style.code : plain ? (text: string) => text : style.dim;
    const prefix = plain ? "  " : `  ${style.dim("│")} `;
    this.#blockKind = kind;
    this.#block = new StreamWrap({ prefix, prefixWidth: plain ? 2 : 4, width: Math.max(20, columns()), paint, write });
  }

  #close(): void {
    const block = this.#block;
    this.#block = undefined;
    this.#blockKind = "";
    if (!block) return;
    block.end();
    if (block.started) this.#screen.write("\n");
  }

  #field({ field, text }: EventOf<"block-delta">): void {
    if (quietFields.has(field)) return;
    this.#stream(shownFields.has(field) ? field : "code", text);
  }

  /** What the parser found, each with its place in what the model wrote. Informs only; a calm line for what was repaired. */
  #findings(): void {
    this.#close();
    const { style, write, columns } = this.#screen;
    for (const diagnostic of this.#diagnostics.filter(({ severity }) => severity !== "info")) {
      const paint = diagnostic.severity === "error" ? style.bad : style.warn;
      const [head = "", ...frame] = formatDiagnostic(this.#raw, diagnostic, { width: Math.max(20, columns() - 6) }).split("\n");
      write(`  ${paint("!")} ${paint(visible(head))}\n${frame.map((line) => `    ${style.dim(line)}\n`).join("")}`);
    }
    if (this.#diagnostics.some(({ severity }) => severity !== "info")) write("\n");
    this.#diagnostics = [];
  }

  #call({ name, callId, status, ms, error, ...rest }: EventOf<"tool-call-end">): void {
    this.#close();
    const { style, write, columns } = this.#screen;
    const input = this.#inputs.get(callId);
    this.#inputs.delete(callId);
    const time = style.dim(`${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`);
    const sign = status === "ok" ? style.good("✓") : status === "denied" ? style.warn("⊘") : style.bad("✗");
    const room = Math.max(20, columns() - name.length - 18);
    write(`  ${sign} ${style.accent(name)}(${style.dim(clip(inputText(input), room))}) ${time}\n`);
    if (error) write(`    ${style.dim(clip(visible(error.message), columns() - 6))}\n`);
    else if (!this.#protocolIsText) write(`    ${style.dim(clip(valueText(rest.data), columns() - 6))}\n`);
  }

  #approval({ decision }: EventOf<"approval-response">): void {
    const by = decision.by ? ` by ${decision.by}` : "";
    const why = decision.reason ? `: ${decision.reason}` : "";
    this.#note(decision.approved ? "dim" : "warn", `${decision.approved ? "approved" : "denied"}${by}${why}`);
  }

  #results({ results }: EventOf<"action-end">): void {
    this.#close();
    const { style, write, columns } = this.#screen;
    for (const result of results) {
      // Single calls have shown their outcome already.
      if (result.name !== undefined) continue;
      if (result.error) write(`  ${style.bad(failure(result.error))}\n${sourceLine(result.error, style)}`);
      else write(`  ${style.dim(`= ${clip(valueText(result.data), Math.max(20, columns() - 6) * 2)}`)}\n`);
    }
    write("\n");
  }

  #end({ result }: EventOf<"run-end">): void {
    this.#findings();
    const { style, write } = this.#screen;
    switch (result.status) {
      case "answered":
        return;
      case "result":
        return write(`  ${style.strong("result")} ${visible(result.text)}\n\n`);
      case "declined":
        return write(this.#blockShown(result.text) ? "" : `  ${visible(result.text)}\n\n`);
      case "aborted":
        return write(`  ${style.warn("cancelled")}\n\n`);
      case "limit":
        return write(`  ${style.warn(`stopped: the limit of ${result.limit} is reached`)}\n\n`);
      default:
        return write(`  ${style.bad(`${result.error?.code ?? "error"}: ${visible(result.error?.message ?? "")}`)}\n\n`);
    }
  }

  #blockShown(text: string): boolean {
    return this.#answered || text === "";
  }

  #note(paint: "dim" | "warn", text: string): void {
    this.#close();
    const { style, write } = this.#screen;
    write(`  ${style[paint](`· ${visible(text).replaceAll("\n", " ")}`)}\n`);
  }
}

function failure({ type, message, line }: ToolErrorInfo): string {
  return visible(`${type}${line === undefined ? "" : ` in line ${line}`}: ${message}`);
}

function sourceLine({ sourceLine: source, hint }: ToolErrorInfo, style: Style): string {
  const lines = [source && `    ${source.trim()}`, hint && `    hint: ${hint}`].filter((text) => text !== undefined && text !== "");
  return lines.map((text) => `${style.dim(visible(text as string))}\n`).join("");
}
