import type { Diagnostic } from "@toolglot/core";
import { allowsRepair } from "@toolglot/core/text";
import {
  type Element,
  readCommand,
  readCtrl,
  readGetValue,
  readInput,
  readMcp,
  type Surroundings,
} from "../calls/built-in.ts";
import { readCustom } from "../calls/custom.ts";
import { EditReader } from "../calls/edit.ts";
import { readRead } from "../calls/read.ts";
import { attributesOf, checkTag } from "../calls/report.ts";
import {
  type DiagnosticChange,
  diagnostic,
  type ToolsXmlDiagnosticCode,
  type ToolsXmlRepairCode,
} from "../diagnostics.ts";
import { exactText } from "../scan/body-text.ts";
import { Names } from "../scan/context.ts";
import type { ToolsXmlBlock, ToolsXmlCall, ToolsXmlComment, ToolsXmlParseOptions } from "../types.ts";
import type { XmlElement } from "./read-xml.ts";

/** What the readers of calls need, and the way into an element that holds elements. */
interface Findings extends Surroundings {
  /** The elements in an element. Comments between them are kept, text is reported. */
  elementsOf(element: XmlElement): XmlElement[];
}

const readers: Record<string, (element: Element, to: Findings) => ToolsXmlCall | undefined> = {
  command: readCommand,
  read: readRead,
  get_value: readGetValue,
  input: readInput,
  ctrl: readCtrl,
  mcp: readMcp,
};

/** Reads the `<tools>` element of a well-formed document. */
export function readBlock(
  root: XmlElement,
  options: ToolsXmlParseOptions,
  source: string,
): { block: ToolsXmlBlock; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const comments: ToolsXmlComment[] = [];
  let errors = 0;
  let repaired = false;
  const to: Findings = {
    say(code: ToolsXmlDiagnosticCode, start: number, end: number, change?: DiagnosticChange): void {
      const found = diagnostic(code, start, end, change);
      if (found.severity === "error") errors += 1;
      diagnostics.push(found);
    },
    repair(code: ToolsXmlRepairCode, start: number, end: number, change?: DiagnosticChange): void {
      const allowed = allowsRepair(options, code);
      if (allowed) repaired = true;
      to.say(code, start, end, allowed ? change : { ...change, severity: "error" });
    },
    tell({ text, entities }, { bodyStart, raw }): string {
      const end = bodyStart + raw.length;
      if (entities)
        to.say(entities === "decoded" ? "toolsxml/entities-decoded" : "toolsxml/literal-entities", bodyStart, end);
      return text;
    },
    comment(text: string, start: number, end: number): void {
      comments.push({ text, span: { start, end } });
    },
    delta(): void {},
    attributes(): void {},
    elementsOf({ children }): XmlElement[] {
      return children.filter((child): child is XmlElement => {
        const { start, end } = child.span;
        if (child.type === "comment") to.comment(child.raw.trim(), start, end);
        else if (child.type === "instruction" || (child.type !== "element" && child.raw.trim() !== ""))
          to.repair("toolsxml/stray-text", start, end);
        if (child.type === "element") checkTag(asElement(child).tag, to);
        return child.type === "element";
      });
    },
  };
  if (root.attributes.length > 0) to.say("toolsxml/ignored-attributes", root.span.start, root.innerSpan.start);
  const names = new Names(options.tools);
  const calls: ToolsXmlCall[] = [];
  let seen = 0;
  let indent = "";
  for (const element of to.elementsOf(root)) {
    const before = errors;
    const { start } = element.span;
    const line = source.slice(seen, start).lastIndexOf("\n");
    // No line is looked through twice.
    if (line >= 0 || seen === 0) indent = /^[ \t]*/.exec(source.slice(seen + line + 1, start))?.[0] ?? "";
    seen = start;
    const call = readCall(element, names, to, indent);
    if (call && errors === before) calls.push(call);
  }
  comments.sort((a, b) => a.span.start - b.span.start);
  diagnostics.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  const status = errors > 0 ? "invalid" : repaired ? "recovered" : "complete";
  return { block: { status, calls, comments, span: root.span }, diagnostics };
}

function readCall(xml: XmlElement, names: Names, to: Findings, indent: string): ToolsXmlCall | undefined {
  const element = { ...asElement(xml), indent };
  const { name } = element.tag;
  if (name === "edit") return readEdit(xml, to);
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (read) return read(element, to);
  const tool = names.tools.get(name);
  if (tool) return readCustom(tool, element, to);
  unknownTag(xml, names.known, to);
  return undefined;
}

function readEdit(xml: XmlElement, to: Findings): ToolsXmlCall {
  const { tag, end } = asElement(xml);
  attributesOf(tag, [], to);
  const edit = new EditReader(tag, to);
  for (const file of to.elementsOf(xml)) {
    const { tag: fileTag } = asElement(file);
    if (edit.open(fileTag) === undefined) {
      unknownTag(file, edit.takes, to);
      continue;
    }
    for (const child of to.elementsOf(file)) {
      const body = asElement(child);
      if (edit.open(body.tag) === undefined) unknownTag(child, edit.takes, to);
      else edit.take(body, to.tell(exactText(body.raw), body));
    }
    edit.closeInner("file", file.span.end);
  }
  const call = edit.close(end, false);
  call.span.end = end;
  return call;
}

function unknownTag({ name, span, innerSpan }: XmlElement, known: readonly string[], to: Findings): void {
  to.say("toolsxml/unknown-tag", span.start, innerSpan.start, {
    message: `<${name}> has no place here.`,
    hint: `Known: ${known.map((one) => `<${one}>`).join(" ")}.`,
  });
}

/** An element as the readers of calls take it: they read its body as text, and expect attributes as XML decodes them. */
function asElement({ name, attributes, inner, span, innerSpan }: XmlElement): Element {
  const { start } = span;
  const end = innerSpan.start;
  return {
    tag: {
      name: name.toLowerCase(),
      rawName: name,
      closes: false,
      selfClosing: end === span.end,
      attributes: attributes.map((one) => ({
        name: one.name.toLowerCase(),
        rawName: one.name,
        value: one.value,
        start,
        end,
      })),
      start,
      end,
      fault: undefined,
    },
    indent: "",
    raw: inner,
    bodyStart: end,
    end: span.end,
  };
}
