import type { AgentEvent } from "@toolglot/agent";
import type { Diagnostic, ToolResult } from "@toolglot/core";
import { formatDiagnostic } from "@toolglot/core/diagnostics";
import type { TaskEvent } from "@toolglot/toolkit";
import { languages } from "../cli/protocol-names.ts";
import { type Words, wordsFor } from "../words/index.ts";
import { argumentsText, clip, resultText, valueText } from "./brief.ts";
import { endingText } from "./ending.ts";
import { LiveOutput } from "./live-output.ts";
import { endText, isLocal, localCallText, localResultLines } from "./local-result.ts";
import { MarkdownStream } from "./markdown/markdown-stream.ts";
import { failureDetails, failureText, programWarnings, statusSign, waitText } from "./outcome.ts";
import type { RunView } from "./run-view.ts";
import type { Screen } from "./screen.ts";
import { visible } from "./visible.ts";
import { StreamWrap } from "./wrap.ts";

type EventOf<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

// Shown as blocks with a heading of their own; other fields are too short for one.
const shownFields = new Set(["thought", "code", "message"]);
const quietFields = new Set(["status", "target"]);

/** Draws a run for a person: thought, code, tool calls with their times, result, answer, and what went wrong. */
export class TerminalView implements RunView {
  readonly #screen: Screen;
  readonly #words: Words;
  #block: StreamWrap | MarkdownStream | undefined;
  #blockKind = "";
  #raw = "";
  #diagnostics: Diagnostic[] = [];
  #textShown = false;
  #aborted = false;
  /** `attp`, `attp-js`, `tam`, `toolsxml`, `native`. */
  #protocol = "attp";
  /** What calls were made with, for the lines that their ends draw. */
  readonly #inputs = new Map<string, unknown>();
  readonly #live = new LiveOutput();
  /** Calls that a person refused; the decision shows the reason. */
  readonly #refused = new Set<string>();

  constructor(screen: Screen, words: Words = wordsFor()) {
    this.#screen = screen;
    this.#words = words;
  }

  modelText(text: string): void {
    this.#raw += text;
  }

  task(event: TaskEvent): void {
    this.#close();
    const { style, write, columns } = this.#screen;
    const room = Math.max(20, columns() - event.name.length - 24);
    const line = (sign: string, text: string): void =>
      write(`  ${sign} ${style.accent(visible(event.name))} ${style.dim(clip(text, room))}\n`);
    switch (event.type) {
      case "task-progress":
        line(style.dim("…"), valueText(event.data));
        break;
      case "task-completed":
        line(style.good("✓"), `${Math.round(event.ms)} ms ${valueText(event.result.data)}`);
        write("\n");
        break;
      case "task-failed":
        line(style.bad("✗"), event.result.error?.message ?? event.result.status);
        write("\n");
        break;
    }
  }

  event(event: AgentEvent): void {
    switch (event.type) {
      case "run-start":
        this.#textShown = false;
        this.#aborted = false;
        this.#protocol = event.protocol.split("/")[0] ?? "";
        break;
      case "step-start":
        this.#raw = "";
        this.#diagnostics = [];
        break;
      case "text-delta":
        this.#stream("text", event.text);
        break;
      case "reasoning-delta":
        this.#stream("reasoning", event.text);
        break;
      case "block-delta":
        this.#field(event);
        break;
      case "block-end":
        this.#close();
        this.#wholeBlock(event);
        break;
      case "diagnostic":
        this.#diagnostics.push(event.diagnostic);
        break;
      case "action-start":
        this.#findings();
        break;
      case "repair-turn":
        this.#findings();
        this.#note("warn", `${this.#words.sentBack(event.reason)}: ${clip(event.text, 300)}`);
        this.#screen.write("\n");
        break;
      case "tool-call-start":
        this.#inputs.set(event.callId, event.input);
        // A command may take its time.
        if (event.name === "command") this.#note("dim", localCallText(event.name, event.input));
        break;
      case "tool-call-progress":
        if (this.#screen.live) this.#output(event.callId, this.#live.take(event) ?? "");
        break;
      case "tool-call-end":
        // Their results are text, and comes with the results.
        if (!isLocal(event.name) || event.status === "denied") this.#call(event);
        break;
      case "log":
        this.#note("dim", `${event.entry.stream}: ${clip(event.entry.text, 200)}`);
        break;
      case "approval-response":
        this.#approval(event);
        break;
      case "wait-start":
      case "wait-end":
        this.#note("dim", waitText(event, this.#words));
        break;
      case "action-end":
        this.#results(event);
        break;
      case "warning":
        this.#note("warn", event.message);
        break;
      case "run-abort":
        this.#aborted = true;
        break;
      case "run-end":
        this.#findings();
        this.#screen.write(endingText(event.result, this.#textShown, this.#words, this.#screen.style));
        break;
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
    if (plain) this.#textShown = true;
    if (!plain) write(`  ${style.dim((kind === "code" && languages.get(this.#protocol)) || kind)}\n`);
    const isCode = kind === "code" || kind === this.#protocol;
    const paint = isCode ? style.code : plain ? (text: string) => text : style.dim;
    const prefix = plain ? "  " : `  ${style.dim("│")} `;
    this.#blockKind = kind;
    if (plain && this.#screen.markdown) {
      this.#block = new MarkdownStream({ indent: 2, width: Math.max(20, columns()), style, write });
      return;
    }
    this.#block = new StreamWrap({ prefix, prefixWidth: plain ? 2 : 4, width: Math.max(20, columns()), paint, write });
  }

  /** What a command prints while it runs, under its line. */
  #output(callId: string, text: string): void {
    if (text === "") return;
    const { style, write, columns } = this.#screen;
    if (this.#blockKind !== callId) {
      this.#close();
      const lines = { prefix: "    ", prefixWidth: 4, width: Math.max(20, columns()) };
      this.#block = new StreamWrap({ ...lines, paint: style.dim, write });
      this.#blockKind = callId;
    }
    this.#block?.feed(visible(text));
  }

  #close(): void {
    const block = this.#block;
    const isOutput = this.#live.has(this.#blockKind);
    this.#block = undefined;
    this.#blockKind = "";
    if (!block) return;
    block.end();
    if (block.started && !isOutput) this.#screen.write("\n");
  }

  #field({ field, text }: EventOf<"block-delta">): void {
    if (quietFields.has(field) || !languages.has(this.#protocol)) return;
    this.#stream(shownFields.has(field) ? field : "code", text);
  }

  /** Calls as the model wrote them: cut into parameters they would be hard to read. */
  #wholeBlock({ block: { span } }: EventOf<"block-end">): void {
    if (languages.has(this.#protocol)) return;
    this.#stream(this.#protocol, this.#raw.slice(span.start, span.end));
    this.#close();
  }

  /** What the parser found, each with its place in what the model wrote. Informs only; a calm line for what was repaired. */
  #findings(): void {
    this.#close();
    const { style, write, columns } = this.#screen;
    for (const diagnostic of this.#diagnostics.filter(({ severity }) => severity !== "info")) {
      const paint = diagnostic.severity === "error" ? style.bad : style.warn;
      const text = formatDiagnostic(this.#raw, diagnostic, { width: Math.max(20, columns() - 6) });
      const [head = "", ...frame] = text.split("\n");
      this.#paragraph(paint("!"), head, paint);
      write(frame.map((line) => `    ${style.dim(line)}\n`).join(""));
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
    const room = Math.max(20, columns() - name.length - 18);
    write(
      `  ${statusSign(status, style)} ${style.accent(visible(name))}(${style.dim(clip(argumentsText(name, input), room))}) ${time}\n`,
    );
    if (this.#refused.delete(callId) || (error === undefined && languages.has(this.#protocol))) return;
    write(`    ${style.dim(clip(resultText(name, rest.data, error), columns() - 6))}\n`);
  }

  #approval({ callId, decision }: EventOf<"approval-response">): void {
    if (this.#aborted) return;
    const { approved, by = "", reason = "" } = decision;
    if (!approved) this.#refused.add(callId);
    this.#note(approved ? "dim" : "warn", approved ? this.#words.approved(by) : this.#words.denied(by, reason));
  }

  #results({ results }: EventOf<"action-end">): void {
    this.#close();
    if (this.#aborted) return;
    const { style, write, columns } = this.#screen;
    for (const result of results) {
      const { name, data, error, metadata } = result;
      if (isLocal(name)) this.#local(result, results.length === 1);
      for (const warning of programWarnings(metadata)) this.#note("warn", warning);
      // Single calls have shown their outcome already.
      if (name !== undefined) continue;
      if (error) {
        this.#paragraph(style.bad("✗"), failureText(error), style.bad);
        for (const line of failureDetails(error)) this.#paragraph(" ", line, style.dim);
      } else this.#paragraph(style.dim("="), clip(valueText(data), (columns() - 6) * 2), style.dim);
    }
    write("\n");
  }

  /** A call on this machine: its end, and what it gave. */
  #local(result: ToolResult, alone: boolean): void {
    const { callId, name = "", status, metadata } = result;
    const input = this.#inputs.get(callId);
    this.#inputs.delete(callId);
    if (status === "denied") return;
    const { style, write, columns } = this.#screen;
    const end = [endText(result), typeof metadata?.ms === "number" ? `${metadata.ms} ms` : ""]
      .filter(Boolean)
      .join(", ");
    const call = clip(localCallText(name, input), Math.max(20, columns() - end.length - 8));
    // A command by itself stands right above.
    const head = alone && name === "command" ? "" : `${style.accent(call)} `;
    write(`  ${statusSign(status, style)} ${head}${style.dim(end)}\n`);
    for (const line of localResultLines(this.#live.rest(result), style)) write(`    ${line}\n`);
  }

  #note(paint: "dim" | "warn", text: string): void {
    this.#close();
    const { style } = this.#screen;
    this.#paragraph(style[paint]("·"), text.replaceAll("\n", " "), style[paint]);
  }

  /** A text behind a mark, with its further lines indented. */
  #paragraph(mark: string, text: string, paint: (text: string) => string): void {
    const { write, columns } = this.#screen;
    const lines = { first: `  ${mark} `, prefix: "    ", prefixWidth: 4 };
    const wrap = new StreamWrap({ ...lines, width: Math.max(20, columns()), paint, write });
    wrap.feed(visible(text));
    wrap.end();
  }
}
