import type { ResponseEvent } from "../response-template/types.ts";
import type { Dialect } from "./types.ts";

/** Where a dialect keeps what reads it. Registered: the entries of this package may be bundled apart. */
export const templateReading: unique symbol = Symbol.for("@toolglot/dialects/template") as never;

/** A field of a response template, as its readers have it. */
export interface TemplateField {
  name: string;
  /** As the template has it. */
  own: { transform?: unknown };
  /** What finds its delimiters. */
  open: object | undefined;
  close: object | undefined;
  /** How its regions are read, and values in them. */
  content: { parser: string; values?: { parser: string } | undefined };
}

/** How a text is read by a response template. */
export interface TemplateReading {
  readonly fields: readonly TemplateField[];
  /** Takes what no other field does, as text. */
  readonly rest: TemplateField;
  /** Makes a reader of some of the fields, which never throws on text. `begins`: the one that is open from the start. */
  reader(
    fields: readonly TemplateField[],
    onEvent: (event: ResponseEvent) => void,
    begins?: TemplateField,
  ): TemplateReader;
  /** Returns the first place in a text of what closes a field. */
  closer(field: TemplateField, text: string): { start: number; end: number } | undefined;
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
