import type { ToolDefinition } from "@toolglot/core";
import type { ToolsXmlCall } from "../types.ts";
import { readCommand, readCtrl, readGetValue, readInput, readMcp } from "./built-in.ts";
import { readCustom } from "./custom.ts";
import type { CallContext, Element } from "./types.ts";

const readers: Readonly<Record<string, (element: Element, to: CallContext) => ToolsXmlCall | undefined>> = {
  command: readCommand,
  get_value: readGetValue,
  input: readInput,
  ctrl: readCtrl,
  mcp: readMcp,
};

/** Reads the call of an element that holds no elements of the protocol's own; undefined when it can't be read. */
export function readElement(
  element: Element,
  tools: ReadonlyMap<string, ToolDefinition>,
  to: CallContext,
): ToolsXmlCall | undefined {
  const { name } = element.tag;
  if (Object.hasOwn(readers, name)) return readers[name]?.(element, to);
  const tool = tools.get(name);
  return tool && readCustom(tool, element, to);
}
