import type { EndOptions } from "@toolglot/core";
import type { Source } from "@toolglot/core/text";
import type { DiagnosticChange } from "@toolglot/internal";
import type { Element } from "../calls/built-in.ts";
import { rawProperty } from "../calls/custom.ts";
import type { BlockDraft } from "./block-draft.ts";
import { BodyStream } from "./body-stream.ts";
import type { BodyContext, Names } from "./context.ts";
import { RawBody } from "./raw-body.ts";
import { ScriptStream } from "./script-stream.ts";
import type { Tag } from "./tag.ts";

/** An element whose body is being read. */
export interface OpenBody {
  tag: Tag;
  body: RawBody;
  /** White space that the line of the tag begins with. */
  indent: string;
  /** Its text is given out as it comes, also text that may turn out not to be its own. */
  streams: boolean;
  stream: BodyStream | ScriptStream | undefined;
}

/** Reads the bodies of a block's elements, and reports where their ends are in doubt. */
export class ElementBodies {
  readonly #draft: BlockDraft;
  /** Where the last body of each name began. */
  readonly #starts = new Map<string, number>();
  #lastStart = -1;
  #lineSeen = -1;
  #lineIndent = "";

  constructor(draft: BlockDraft) {
    this.#draft = draft;
  }

  /** Begins a body. `field`: where its text streams to; undefined when only its end decides what its text is. */
  open(source: Source, tag: Tag, context: BodyContext, field: string | undefined): OpenBody {
    const draft = this.#draft;
    const { emit, memory, fence } = draft.options;
    const body = new RawBody(tag.rawName, tag.end, context, memory, fence);
    const indent = this.#indentOf(source, tag.start);
    const target = tag.name === "command" ? "script" : field;
    const emitBody = (text: string): void => draft.emitBody(target as string, text);
    const stream =
      !emit || target === undefined
        ? undefined
        : field === undefined
          ? new ScriptStream(tag.end, indent, emitBody)
          : new BodyStream(tag.end, true, emitBody);
    if (tag.selfClosing) body.closeAt(tag.end);
    draft.body = { tag, body, indent, streams: field !== undefined, stream };
    return draft.body;
  }

  /** Reads on in a body; false when more text is needed, or the text ends in it. */
  read(source: Source, { body, stream }: OpenBody, end: EndOptions | undefined): boolean {
    // What comes before the end is given out first, whether it came in one piece with it or not.
    if (!body.read(source, undefined)) {
      stream?.advance(source, body.safe(source));
      if (!end || !body.read(source, end)) return false;
    }
    return body.outcome !== "cut";
  }

  /** The element of a body that has ended; reports doubts about its end. */
  element(source: Source, { tag, body, indent, streams, stream }: OpenBody): Element {
    const draft = this.#draft;
    const { outcome, bodyEnd, end, doubtful, spares, lineSpares } = body;
    const element: Element = { tag, indent, raw: source.slice(tag.end, bodyEnd), bodyStart: tag.end, end };
    // A body that holds its closing tag behind one of the same name: the two may be one.
    const before = this.#starts.get(tag.name);
    const parted = before !== undefined && (lineSpares > 0 || (spares > 0 && before === this.#lastStart));
    if (parted) draft.repair("toolsxml/doubtful-close", before, end);
    else if (doubtful) draft.repair("toolsxml/doubtful-close", bodyEnd, end);
    else this.#findLoose(element);
    this.#starts.set(tag.name, tag.start);
    this.#lastStart = tag.start;
    if (outcome !== "unclosed") return element;
    // What was given out of it can't be taken back.
    const change: DiagnosticChange = { affects: "value", message: `<${tag.rawName}> is not closed.` };
    stream?.advance(source, body.safe(source));
    if (streams) draft.report("toolsxml/unclosed-tag", tag.start, tag.end, { ...change, severity: "error" });
    else draft.repair("toolsxml/unclosed-tag", tag.start, tag.end, change);
    return element;
  }

  /** A tag that does not balance in a body may have been its end, or the beginning of its neighbour. */
  #findLoose({ tag, raw, bodyStart }: Element): void {
    const { names } = this.#draft.options;
    if (!isRaw(tag.name, names)) return;
    const loose = names.loose(tag.name).find(raw, tag.name === "command");
    if (loose) this.#draft.repair("toolsxml/doubtful-close", bodyStart + loose.start, bodyStart + loose.end);
  }

  /** White space that the line of an offset begins with. Offsets come in order, and no text is searched twice. */
  #indentOf(source: Source, at: number): string {
    const from = this.#lineSeen < 0 ? Math.max(0, this.#draft.options.start - 200) : this.#lineSeen;
    const before = source.slice(from, at);
    const line = before.lastIndexOf("\n");
    if (line >= 0 || this.#lineSeen < 0) {
      const first = line < 0 ? from : from + line + 1;
      this.#lineIndent = /^[ \t]*/.exec(source.slice(first, Math.min(at, first + 200)))?.[0] ?? "";
    }
    this.#lineSeen = at;
    return this.#lineIndent;
  }
}

/** Whether the body of an element is text to the last letter; JSON and child elements show themselves when they are not whole. */
function isRaw(name: string, { tools }: Names): boolean {
  const tool = tools.get(name);
  return tool ? rawProperty(tool) !== undefined : name !== "mcp" && name !== "get_value";
}
