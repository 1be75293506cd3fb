import type { Diagnostic } from "@toolglot/core";
import type { DiagnosticChange } from "@toolglot/internal";
import { diagnostic, type ToolsXmlDiagnosticCode, type ToolsXmlRepairCode } from "../diagnostics.ts";
import type { BodyText } from "../scan/body-text.ts";
import type { Tag } from "../scan/tag.ts";
import type { ToolsXmlBlock, ToolsXmlComment } from "../types.ts";
import type { CallContext, Element } from "./built-in.ts";

/** Collects what is found in one block: diagnostics, comments, and whether it may run. */
export class Findings implements CallContext {
  readonly diagnostics: Diagnostic[] = [];
  readonly comments: ToolsXmlComment[] = [];
  /** Errors so far. */
  errors = 0;
  #recovered = false;
  readonly #allows: (code: ToolsXmlRepairCode) => boolean;

  constructor(allows: (code: ToolsXmlRepairCode) => boolean) {
    this.#allows = allows;
  }

  report(code: ToolsXmlDiagnosticCode, start: number, end: number, change?: DiagnosticChange): void {
    const made = diagnostic(code, start, end, change);
    if (made.severity === "error") this.errors += 1;
    this.diagnostics.push(made);
  }

  repair(code: ToolsXmlRepairCode, start: number, end: number, change?: DiagnosticChange): void {
    const allowed = this.#allows(code);
    if (allowed) this.#recovered = true;
    this.report(code, start, end, allowed ? change : { ...change, severity: "error" });
  }

  bodyText({ text, entities, unclosed }: BodyText, { bodyStart, raw }: Pick<Element, "bodyStart" | "raw">): string {
    const end = bodyStart + raw.length;
    if (entities)
      this.report(`toolsxml/${entities === "decoded" ? "entities-decoded" : "literal-entities"}`, bodyStart, end);
    if (unclosed) this.repair("toolsxml/unclosed-cdata", bodyStart, end);
    return text;
  }

  comment(text: string, start: number, end: number): void {
    this.comments.push({ text, span: { start, end } });
  }

  delta(_field: string, _text: string): void {}

  attributes(_field: string, _tag: Tag): void {}

  /** The status of a block that was read to its end. */
  get status(): ToolsXmlBlock["status"] {
    return this.errors > 0 ? "invalid" : this.#recovered ? "recovered" : "complete";
  }
}
