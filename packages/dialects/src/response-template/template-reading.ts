import type { ResponseEvent } from "./types.ts";

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
