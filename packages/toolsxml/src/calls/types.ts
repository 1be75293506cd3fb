import type { DiagnosticChange } from "@toolglot/internal";
import type { ToolsXmlDiagnosticCode, ToolsXmlRepairCode } from "../diagnostics.ts";
import type { BodyText } from "../scan/body-text.ts";
import type { Tag } from "../scan/tag.ts";
import type { EditCall, ReadCall } from "../types.ts";

/** Takes the findings about a call. */
export interface Reporter {
  /** Reports a finding; with an error, the call is not run. */
  report(code: ToolsXmlDiagnosticCode, start: number, end: number, change?: DiagnosticChange): void;
  /** Reports a repair: an error when it is not allowed. */
  repair(code: ToolsXmlRepairCode, start: number, end: number, change?: DiagnosticChange): void;
}

/** An element whose end was found. */
export interface Element {
  tag: Tag;
  /** Its body as written. */
  raw: string;
  /** White space that the line of its tag begins with. */
  indent: string;
  /** Offset of the body. */
  bodyStart: number;
  /** Offset after its closing tag. */
  end: number;
}

/** What a call's reader needs besides the element. */
export interface CallContext extends Reporter {
  /** Returns the text of a body, after reporting what was done about its entities and CDATA. */
  bodyText(body: BodyText, element: Pick<Element, "bodyStart" | "raw">): string;
  comment(text: string, start: number, end: number): void;
  /** Returns what helps against a name, of a tag or of a parameter, that is none of these; undefined when that was said often enough. */
  hint(written: string, names: readonly string[], tags?: boolean): string | undefined;
  /** Reports what shows that a body's text may not be what was meant. `isOwn`: whether the block has elements of a name. */
  doubts(element: Pick<Element, "tag" | "raw" | "bodyStart">, isOwn: (name: string) => boolean): void;
  /** Emits the text of a field. */
  delta(field: string, text: string): void;
  attributes(field: string, tag: Tag): void;
}

/** A call that holds elements, while it is read. */
export interface Container {
  /** The tags that may come next. */
  readonly takes: readonly string[];
  /** Returns the field of an element that begins; undefined when it has no place here. */
  open(tag: Tag): string | undefined;
  /** Closes the element in it that is open; false when the tag is not its. */
  closeInner(name: string, end: number): boolean;
  /** Ends the call. `reported`: an unclosed tag was reported before. */
  close(end: number, reported: boolean): EditCall | ReadCall;
}
