// The tables of options against their types: each option is given a value of each kind that its type does not take.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { createAgent, nativeProtocol } from "../../packages/agent/src/index.ts";
import { aiSdkModel } from "../../packages/ai-sdk/src/index.ts";
import { checkKeys } from "../../packages/internal/src/check-keys.ts";
import { toInputSchema } from "../../packages/schema/src/index.ts";
import { Toolkit, toolkitExecutor } from "../../packages/toolkit/src/index.ts";
import { createMcpClient } from "../../packages/toolkit/src/mcp/index.ts";
import { root } from "../lib/workspace.mjs";

const packages = readdirSync(join(root, "packages"));
const { config } = ts.readConfigFile(join(root, "tsconfig.tests.json"), ts.sys.readFile);
const { fileNames, options } = ts.parseJsonConfigFileContent({ ...config, include: ["packages/*/src"] }, ts.sys, root);
/** Every door of a shorthand, each with a word that is no type. */
const wrongWords = {
  name: join(root, "packages/toolkit/src/wrong-words.ts"),
  text: `import { argsSchema, toInputSchema } from "../../schema/src/index.ts";
import { defineTool, makeSubagentTool, Toolkit } from "./index.ts";
const about = { name: "f", description: "d" };
argsSchema({ a: "string", b: "numbr" });
toInputSchema({ a: "string", b: "numbr" });
new Toolkit().registerToolFunction((given: { b: number }) => given, { ...about, args: { b: "numbr" } });
new Toolkit().registerToolFunction(({ b }) => b, { ...about, args: { a: "string", b: "numbr" } });
new Toolkit().registerToolFunction(() => 1, { ...about, input: { b: "numbr" } });
defineTool({ ...about, args: { b: "numbr" }, execute: ({ b }) => b });
defineTool({ ...about, args: { b: "numbr" }, external: true });
makeSubagentTool({ ...about, args: { b: "numbr" }, run: ({ b }) => b });
`,
};
const host = ts.createCompilerHost(options);
const read = host.readFile;
host.fileExists = (name) => name === wrongWords.name || ts.sys.fileExists(name);
host.readFile = (name) => (name === wrongWords.name ? wrongWords.text : read(name));
const program = ts.createProgram([...fileNames, wrongWords.name], options, host);
const checker = program.getTypeChecker();
const sources = program
  .getSourceFiles()
  .filter(({ fileName }) => /\/packages\/[^/]+\/src\//.test(fileName) && !/node_modules|check-keys/.test(fileName));

/** Of each kind one value, and its type. */
const values: readonly [unknown, ts.Type][] = [
  ["no-such-choice", checker.getStringType()],
  [7, checker.getNumberType()],
  [true, checker.getTrueType()],
  [() => {}, checker.getAnyType()],
  [{}, checker.getAnyType()],
  [[], checker.getAnyType()],
  [null, checker.getNullType()],
  [Symbol("x"), checker.getESSymbolType()],
  [5n, checker.getBigIntType()],
];

/** Whether a type takes a value; functions, objects and arrays by their form. */
function takes(type: ts.Type, value: unknown, valueType: ts.Type): boolean {
  const parts = type.isUnion() ? type.types : [type];
  return parts.some((part) => {
    if (part.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TypeParameter)) return true;
    // Schemas of some libraries are functions; what is none is refused where schemas are read.
    const signatures = part.getCallSignatures().length + part.getConstructSignatures().length;
    if (typeof value === "function") return signatures > 0 || part.getProperty("~standard") !== undefined;
    if (Array.isArray(value)) return checker.isArrayLikeType(part);
    if (typeof value !== "object" || value === null) return checker.isTypeAssignableTo(valueType, part);
    const isForm =
      (part.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0 && !checker.isArrayLikeType(part);
    return isForm && part.getCallSignatures().length === 0;
  });
}

/** Whether a list of a type may hold a value; undefined where the type has no list. */
function itemsTaken(type: ts.Type, value: unknown, valueType: ts.Type): boolean | undefined {
  const lists = (type.isUnion() ? type.types : [type]).filter((part) => checker.isArrayLikeType(part));
  if (lists.length === 0) return undefined;
  return lists.some((list) => {
    const item = checker.getIndexTypeOfType(list, ts.IndexKind.Number);
    // Which words a list of choices takes is for who reads it.
    const isChoice = item?.isUnion() && item.types.every((one) => one.isStringLiteral()) && typeof value === "string";
    return item === undefined || isChoice || takes(item, value, valueType);
  });
}

/** The texts of an expression: of literals, of lists, and of constants with them. Others are made at run time. */
function textsOf(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(textsOf);
  if (ts.isSpreadElement(node) || ts.isAsExpression(node)) return textsOf(node.expression);
  if (!ts.isIdentifier(node)) return [];
  const symbol = checker.getSymbolAtLocation(node);
  const declared = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const declaration = declared?.valueDeclaration;
  if (!declaration || !ts.isVariableDeclaration(declaration) || !declaration.initializer) return [];
  return textsOf(declaration.initializer);
}

/** Every table: what it says, and the type that it is about. */
const tables = sources.flatMap((source) => {
  const found: { where: string; type: ts.Type; words: string[] }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^check(?:Keys|Options)$/.test(node.expression.getText()) && node.arguments[2]) {
      const [, given, third] = node.arguments as unknown as [ts.Expression, ts.Expression, ts.Expression];
      const isKeys = node.expression.getText() === "checkKeys";
      const type = checker.getNonNullableType(
        checker.getTypeAtLocation(isKeys ? given : (node.arguments[0] as ts.Node)),
      );
      const words = textsOf(third).flatMap((text) => text.split(" "));
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push({ where: `${source.fileName.slice(root.length + 1)}:${line}`, type, words });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
});

it("should know each kind of value of each option, and refuse all others by name, wanted and got", () => {
  const passed: string[] = [];
  for (const { where, type, words } of tables) {
    for (const word of words) {
      const [name = "", kind] = word.split(/:(.*)/s);
      if (!kind) passed.push(`${where}: ${name} has no kind`);
      const property = type.getProperty(name);
      if (!property) continue;
      const wanted = checker.getTypeOfSymbol(property);
      const given: [unknown, ts.Type, string][] = values
        .filter(([value, valueType]) => !takes(wanted, value, valueType))
        .map(([value, valueType]) => [value, valueType, name]);
      for (const [value, valueType] of [...values, [undefined, checker.getUndefinedType()] as const]) {
        if (itemsTaken(wanted, value, valueType) === false) given.push([[value], valueType, `${name}[0]`]);
      }
      for (const [value, , place] of given) {
        let fault: unknown;
        try {
          checkKeys<Record<string, unknown>, string>("f", { [name]: value }, word);
        } catch (error) {
          fault = error;
        }
        const isTold = fault instanceof TypeError && fault.message.startsWith(`f: ${place} must be `);
        if (!isTold || !/, not ./.test(fault instanceof Error ? fault.message : "")) {
          passed.push(
            `${where}: ${place} takes ${Array.isArray(value) ? "a list of " : ""}${typeof [value].flat()[0]}: ${checker.typeToString(wanted)}`,
          );
        }
      }
    }
  }
  expect(tables.length).toBeGreaterThan(120);
  expect(passed).toEqual([]);
});

it("should be told by the compiler which word of a shorthand is no type, at every door", () => {
  const source = program.getSourceFile(wrongWords.name) as ts.SourceFile;
  const said = program.getSemanticDiagnostics(source).map(({ start = 0, messageText }) => {
    const { line } = source.getLineAndCharacterOfPosition(start);
    return [line + 1, ts.flattenDiagnosticMessageText(messageText, " ").includes('"no type is written so": "numbr"')];
  });
  expect(said).toEqual([4, 5, 6, 7, 8, 9, 10, 11].map((line) => [line, true]));
});

const text = "what all parsers and protocols take is checked in core, and their own words are given to it";
const error = "an error that is made must not become another one";
const door = "what all doors of `once` take is checked in core, and their own words are given to it";
const frame = "made from a frame, once for each";
/** Options that no table of a function of its own says: each with the reason. */
const elsewhere: Readonly<Record<string, string>> = {
  "attp: explain": text,
  "attp: createParser": text,
  "attp: parse": text,
  "attp: attpProtocol": text,
  "attp: AttpParserStream": text,
  "attp: parseStream": text,
  "tam: createParser": text,
  "toolsxml: createParser": text,
  "core: TextScanner": text,
  "dialects: createParser": text,
  "dialects: dialectProtocol": text,
  "dialects: DialectParserStream": text,
  "dialects: explain": text,
  "dialects: parse": text,
  "dialects: parseStream": text,
  "dialects: recoverToolCalls": text,
  "core: ToolError": error,
  "core: ToolglotError": error,
  "sandbox: ToolError": error,
  "trp-client: clientError": error,
  "trp-core: CapabilityError": error,
  "core: checkCall": "its one option is a list, in 3 kB that take no table with them; `CallGuard` checks it",
  "core: once": "`input` is JSON of any kind, which is checked apart",
  "core: onceTool": door,
  "core: onceCall": door,
  "ai-sdk: onceTools": door,
  "toolkit: onceHandler": door,
  "gateway: loadConfig": "`files` holds paths and texts, which is checked apart",
  "core: inOrder": "part of an executor, which checks its own options",
  "sandbox: createSandbox": "`worker` is checked apart from what all sandboxes take",
  "trp-core: ack": frame,
  "trp-core: nack": frame,
  "trp-core: replyTo": frame,
};

it("should find a table for the options of every public function", () => {
  const keysOf = (type: ts.Type): string =>
    type
      .getProperties()
      .map(({ name }) => name)
      .sort()
      .join(" ");
  const known = new Set(
    tables.flatMap(({ type, words }) => [
      keysOf(type),
      words
        .map((word) => word.split(":")[0])
        .sort()
        .join(" "),
    ]),
  );
  const missing: string[] = [];
  for (const name of packages) {
    if (name === "internal") continue;
    const manifest = ts.readConfigFile(join(root, "packages", name, "package.json"), ts.sys.readFile).config;
    for (const entry of Object.values(manifest.exports as Record<string, { source?: string }>)) {
      const source = entry.source && program.getSourceFile(join(root, "packages", name, entry.source));
      const module = source && checker.getSymbolAtLocation(source);
      if (!module) continue;
      for (const symbol of checker.getExportsOfModule(module)) {
        const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
        const type = checker.getTypeOfSymbol(target);
        const signatures = [...type.getCallSignatures(), ...type.getConstructSignatures()];
        for (const parameter of signatures.flatMap((signature) => signature.getParameters())) {
          const given = checker.getNonNullableType(checker.getTypeOfSymbol(parameter));
          const isOptions = /[oO]ptions$/.test(parameter.name) && given.flags & ts.TypeFlags.Object;
          const key = `${name}: ${target.name}`;
          if (isOptions && !known.has(keysOf(given)) && !elsewhere[key])
            missing.push(`${key}(${parameter.name}: ${keysOf(given)})`);
        }
      }
    }
  }
  expect([...new Set(missing)]).toEqual([]);
});

const executor = { handles: () => true, execute: async () => [], honoursHooks: true };
const agentBase = { model: async function* () {}, protocol: nativeProtocol(), executor, tools: [] };
const agent = (more: object) => createAgent({ ...agentBase, ...more } as never);
const about = { name: "f", description: "d" };
const transport = { type: "stdio", command: "node", args: [] };
/** Functions as a user calls them, each with what makes a valid call of it. */
const calls: readonly [what: string, options: string, call: (more: object) => unknown][] = [
  ["agent", "AgentOptions", agent],
  ["agent", "AgentLimits", (limits) => agent({ limits, price: () => 0 })],
  ["agent", "ContextOptions", (context) => agent({ context })],
  ["agent", "OutputOptions", (output) => agent({ output: { schema: toInputSchema({ type: "object" }), ...output } })],
  ["agent", "RunOptions", (more) => agent({}).run("x", more)],
  ["agent", "NativeProtocolOptions", nativeProtocol],
  ["toolkit", "ToolkitOptions", (more) => new Toolkit(more)],
  ["toolkit", "ToolGroupOptions", (more) => new Toolkit().createToolGroup("g", { description: "d", ...more })],
  [
    "toolkit",
    "RegisterFunctionOptions",
    (more) => new Toolkit().registerToolFunction(() => 1, { ...about, ...more } as never),
  ],
  ["toolkit", "ToolkitExecutorOptions", (more) => toolkitExecutor(new Toolkit(), more)],
  ["toolkit", "CallOptions", (more) => new Toolkit().callToolFunction({ name: "f", input: {} }, more)],
  ["toolkit/mcp", "McpClientOptions", (more) => createMcpClient({ name: "s", transport, ...more } as never)],
  [
    "toolkit/mcp",
    "McpStdioTransport",
    (more) => createMcpClient({ name: "s", transport: { ...transport, ...more } } as never),
  ],
  [
    "toolkit/mcp",
    "McpHttpTransport",
    (more) => createMcpClient({ name: "s", transport: { type: "http", url: "http://x", ...more } } as never),
  ],
  [
    "ai-sdk",
    "AiSdkModelOptions",
    (more) => aiSdkModel({ model: { specificationVersion: "v3", doStream() {} }, ...more } as never),
  ],
];

/** A type that a package exports. */
function exported(what: string, name: string): ts.Type | undefined {
  const [folder = "", entry] = what.split("/");
  const manifest = ts.readConfigFile(join(root, "packages", folder, "package.json"), ts.sys.readFile).config;
  const file = (manifest.exports as Record<string, { source: string }>)[entry ? `./${entry}` : "."]?.source ?? "";
  const source = program.getSourceFile(join(root, "packages", folder, file));
  const module = source && checker.getSymbolAtLocation(source);
  const found = module && checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
  return (
    found &&
    checker.getDeclaredTypeOfSymbol(found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found)
  );
}

it.each(calls)("should be told at once by the functions of %s: %s", (what, name, call) => {
  const passed: string[] = [];
  expect(() => call({})).not.toThrow();
  const properties = exported(what, name)?.getProperties() ?? [];
  expect(properties.length).toBeGreaterThan(0);
  for (const property of properties) {
    const wanted = checker.getTypeOfSymbol(property);
    for (const [value, valueType] of values) {
      if (takes(wanted, value, valueType)) continue;
      let fault: unknown;
      try {
        call({ [property.name]: value });
      } catch (error) {
        fault = error;
      }
      const message = fault instanceof TypeError ? fault.message : String(fault);
      const shown = typeof value === "string" ? JSON.stringify(value) : "";
      const isTold = fault instanceof TypeError && message.includes(property.name) && message.includes(shown);
      if (!isTold || !/, not ./.test(message))
        passed.push(`${property.name} ${typeof value} ${String(value)}: ${message}`);
    }
  }
  expect(passed).toEqual([]);
});
