import type { ResponseEvent } from "../response-template/types.ts";
import type { Dialect } from "./types.ts";

/** Where a dialect keeps what reads it. Registered: the entries of this package may be bundled apart. */
export const templateReading: unique symbol = Symbol.for("@toolglot/dialects/template") as never;

/** What the regions of a field are in a message, besides members of it. */
export interface TemplateField {
  /** `none`: no part of what is read or shown. */
  kind: "text" | "reasoning" | "calls" | "none";
  /** Its regions are JSON, which shows whether it is whole. */
  isJson: boolean;
  /** Something closes its regions. */
  closes: boolean;
  /** Values of arguments are texts as the model wrote them. */
  hasTexts: boolean;
}

/** How a text is read by a response template. */
export interface TemplateReading {
  /** Returns what a field is. */
  field(name: string): TemplateField;
  /**
   * Makes a reader. `message`: of a whole text; `open`: of one that begins in reasoning; `calls`: of reasoning, where nothing but calls
   * is found. It never throws on text.
   */
  reader(part: "message" | "open" | "calls", onEvent: (event: ResponseEvent) => void): TemplateReader;
  /** Returns the first place in a text of what closes reasoning. */
  closer(text: string): { start: number; end: number } | undefined;
}

/** Reads a text in chunks. */
export interface TemplateReader {
  feed(chunk: string): void;
  end(): void;
}

/** A dialect whose calls are read by a checkpoint's own response template. */
export interface TemplateDialect extends Dialect {
  readonly [templateReading]: TemplateReading;
}

/** Whether a dialect is read by a response template. */
export const isTemplateDialect = (dialect: object): dialect is TemplateDialect => templateReading in dialect;
