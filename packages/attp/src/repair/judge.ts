import type { Diagnostic } from "@toolglot/core";
import type { DiagnosticChange } from "@toolglot/internal";
import { diagnostic, type ShortCode } from "../diagnostics.ts";
import type { AttpDocument } from "../types.ts";
import type { CodeLanguage } from "./code.ts";

/** JavaScript has no other triple quotes to use instead. */
const javascriptQuotes = `Write three quotes in the code as "'".repeat(3).`;

/** Collects findings of a document, and its status with them. */
export class Judge {
  found: Diagnostic[] = [];

  constructor(
    /** Whether a repair is allowed. */
    readonly allows: (code: ShortCode) => boolean,
    readonly language: CodeLanguage = "python",
  ) {}

  /** Forgets the document before. */
  begin(): this {
    this.found = [];
    return this;
  }

  add(code: ShortCode, start: number, end: number, change?: DiagnosticChange): void {
    const isQuotes = code === "inner-quotes" && this.language === "javascript";
    this.found.push(diagnostic(code, start, end, isQuotes ? { ...change, hint: javascriptQuotes } : change));
  }

  status(truncated: boolean): AttpDocument["status"] {
    if (truncated) return "truncated";
    if (this.found.some(({ severity }) => severity === "error")) return "invalid";
    const untouched = /^attp\/(?:missing-t|unused|unknown|prose|basic-string|dressed)/;
    return this.found.some(({ severity, code }) => severity === "warning" && !untouched.test(code))
      ? "recovered"
      : "complete";
  }
}
