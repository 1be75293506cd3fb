import type { Diagnostic, JsonValue } from "@toolglot/core";
import type { BlockReader } from "@toolglot/core/text";
import type { BlockDraft } from "../scan/block-draft.ts";
import type { DialectBlock, DialectEvent } from "../types.ts";
import type { TypeText } from "../values/typed.ts";
import type { Dialect } from "./types.ts";

/** Where a dialect keeps what reads it. Registered: the entries of this package may be bundled apart. */
export const templateReading: unique symbol = Symbol.for("@toolglot/dialects/template") as never;

/** What the parser lends to the reader of a text. */
export interface TemplateHost {
  readonly startsInReasoning: boolean;
  readonly onEvent?: ((event: DialectEvent) => void) | undefined;
  report(found: Diagnostic): void;
  /** Begins a block. */
  draft(start: number, inReasoning: boolean): BlockDraft;
  readonly typeText: TypeText;
  /** Reads a text as an object, where it is one. */
  asObject(text: string): JsonValue;
}

/** A dialect whose calls are read by a checkpoint's own response template. */
export interface TemplateDialect extends Dialect {
  /** Makes what reads a whole text. */
  readonly [templateReading]: (host: TemplateHost) => BlockReader<DialectBlock>;
}

/** Whether a dialect is read by a response template. */
export const isTemplateDialect = (dialect: object): dialect is TemplateDialect => templateReading in dialect;
