/** ToolsXML that is well-formed XML: reading and building it through fast-xml-parser. */
export type * from "../block-types.ts";
export { type BuildOptions, build } from "./build.ts";
export { isWellFormed, parseStrict, type StrictDiagnosticCode } from "./parse-strict.ts";
