import type { DiagnosticChange } from "@toolglot/internal";
import type { ToolsXmlDiagnosticCode, ToolsXmlRepairCode } from "../diagnostics.ts";
import { type Attribute, isQuoted, type Tag } from "../scan/tag.ts";

/** Takes the findings about a call. */
export interface Reporter {
  /** A finding; with an error, the call is not run. */
  report(code: ToolsXmlDiagnosticCode, start: number, end: number, change?: DiagnosticChange): void;
  /** A repair: an error when it is not allowed. */
  repair(code: ToolsXmlRepairCode, start: number, end: number, change?: DiagnosticChange): void;
}

/** Attributes of built-in tags that are names, not prose. */
const names: ReadonlySet<string> = new Set(["src", "cwd", "glob", "key", "server", "tool"]);

/** Says what is wrong with a tag as it is written. */
export function checkTag({ fault, curly, attributes, start, end }: Tag, reporter: Reporter): void {
  if (fault !== undefined) reporter.report("toolsxml/malformed-tag", start, end);
  if (curly) reporter.repair("toolsxml/curly-quotes", start, end);
  for (const { name, value, lined = false, ...at } of attributes) {
    const broken = names.has(name) && lined;
    if (!broken && !isQuoted(value)) continue;
    reporter.report("toolsxml/curly-quotes", at.start, at.end, {
      affects: names.has(name) ? "value" : "none",
      message: broken ? `${name} holds a line break.` : `The value of ${name} has quotes of its own around it.`,
    });
  }
}

/** The attributes of a tag by name; what is given twice or not known is reported. */
export function attributesOf(tag: Tag, known: readonly string[], reporter: Reporter): Map<string, Attribute> {
  const given = new Map<string, Attribute>();
  for (const attribute of tag.attributes) {
    const { name, start, end } = attribute;
    if (given.has(name)) reporter.repair("toolsxml/duplicate-attribute", start, end);
    else if (!known.includes(name)) {
      if (attribute.doubtful) {
        reporter.report("toolsxml/malformed-tag", tag.start, tag.end);
        break;
      }
      const hint = known.length > 0 ? `<${tag.name}> takes ${known.join(", ")}.` : `<${tag.name}> takes none.`;
      reporter.report("toolsxml/unknown-attribute", start, end, { hint });
    } else given.set(name, attribute);
  }
  return given;
}

/** The value of an attribute that must be there; undefined when it is missing or empty, which is reported. */
export function required(
  tag: Tag,
  given: Map<string, Attribute>,
  name: string,
  reporter: Reporter,
): string | undefined {
  const value = given.get(name)?.value;
  if (value) return value;
  reporter.report("toolsxml/missing-attribute", tag.start, tag.end, {
    message: `<${tag.name}> needs the attribute ${name}.`,
  });
  return undefined;
}

/** Reads an attribute's value; one that can't be used is an error. */
export function optional<Value>(
  given: Map<string, Attribute>,
  name: string,
  read: (text: string) => Value | undefined,
  expected: string,
  reporter: Reporter,
): Value | undefined {
  const attribute = given.get(name);
  if (!attribute) return undefined;
  const value = read(attribute.value);
  if (value === undefined)
    reporter.report("toolsxml/invalid-attribute", attribute.start, attribute.end, {
      message: `${name} has to be ${expected}.`,
    });
  return value;
}
