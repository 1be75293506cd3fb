// The tables of options against their types: each option is given a value of each kind that its type does not take.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, expect, it } from "vitest";
import { createAgent, nativeProtocol, recordRun, replayRun } from "../../packages/agent/src/index.ts";
import { createBridge } from "../../packages/core/src/bridge-layer.ts";
import { memoryStorage } from "../../packages/core/src/storage-layer.ts";
import { openLogins } from "../../packages/gateway/src/index.ts";
import { checkKeys } from "../../packages/internal/src/check-keys.ts";
import { DiskFileSystem, FileDomainService } from "../../packages/local-tools/src/agentscope/file-system/index.ts";
import { openLocalTools, openShell } from "../../packages/local-tools/src/index.ts";
import { tamPrompt } from "../../packages/prompts/src/tam/index.ts";
import { createSandbox } from "../../packages/sandbox/src/node/index.ts";
import { openSecrets } from "../../packages/secrets/src/index.ts";
import { createParser, tamProtocol } from "../../packages/tam/src/index.ts";
import { EventBus, Toolkit } from "../../packages/toolkit/src/index.ts";
import { createMcpClient } from "../../packages/toolkit/src/mcp/index.ts";
import { createClient, inProcessTransport } from "../../packages/trp-client/src/index.ts";
import { createRouter, principal } from "../../packages/trp-core/src/index.ts";
import { root } from "../lib/workspace.mjs";
import { checker, doors, program, takes, values, wrongWords } from "./option-types.ts";

const sources = program
  .getSourceFiles()
  .filter(({ fileName }) => /\/packages\/[^/]+\/src\//.test(fileName) && !/node_modules|check-keys/.test(fileName));

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

const scratchDir = () => mkdtempSync(join(tmpdir(), "options-"));
const executor = { handles: () => true, execute: async () => [], honoursHooks: true };
const agentBase = { model: async function* () {}, protocol: nativeProtocol(), executor, tools: [] };
/** Answers to any member and any call with itself. */
const anything: unknown = new Proxy(() => {}, {
  get: (_, key) => (typeof key === "symbol" || key === "then" ? undefined : anything),
  apply: () => anything,
});

const protocol = tamProtocol({ prompt: tamPrompt });
const server = {
  name: "s",
  transport: { type: "http", url: "http://127.0.0.1:1/mcp" },
  settings: { credentials: "shared" },
};
const instances = new Map<string, unknown>();
// biome-ignore lint/suspicious/noExplicitAny: any of the public types
async function instance(name: string): Promise<any> {
  if (!instances.has(name)) instances.set(name, await made[name]?.());
  return instances.get(name);
}
const log = memoryStorage().operations;
/** Without these options a function would not come to look at the others. */
const bases: Readonly<Record<string, object>> = {
  "agent: performStep": agentBase,
  "sandbox: createSandbox": { language: "python" },
  "sandbox/browser: createSandbox": { language: "javascript" },
  "core: ToolProtocol.instructions": { locale: "en", mode: "loop" },
  "toolkit: Toolkit.createToolGroup": { description: "d" },
  "local-tools: openLocalTools": { roots: "." },
  "toolkit/mcp: onceHandler": { log, scope: "s" },
  "postgres: migratePostgres": { url: "postgres://127.0.0.1:1/x" },
};
const error = "an error that is made must not become another one";
const frame = "made from a frame, once for each, by a router";
const host = "what a host writes, and the library calls";
const maker = "for those who write a protocol, a store or a door: called with what is checked already";
/** Functions that check no options, each with the reason. */
const unchecked: readonly [which: RegExp, why: string][] = [
  [/: (ToolError|ToolglotError|CapabilityError|clientError|OnceError)$/, error],
  [/: (ack|nack|replyTo)$/, frame],
  [/: (StepEngine|ToolglotMiddleware|ToolkitLike|PromptBuilder|Transport|ArtifactStore)\./, host],
  [/: (TextScanner|TextProtocolParts|BlockReader|RouterOperationLog|PartStore)\b/, maker],
  [/: (inOrder|holdOperation|onceCall|isCutOff|explainResult|createTextProtocol)$/, maker],
  [/: checkCall$/, "its one option is a list, in 3 kB that take no table with them; `CallGuard` checks it"],
  [/: ImportedServer\.accept$/, "needs a server that runs; it checks as `acceptTools` does"],
  [/: OneDialect\./, "the functions of a dialect's module, which are called as such"],
];
/** What stands before the options, or has a method that takes some, by the name of its type. */
const made: Readonly<Record<string, () => unknown>> = {
  Agent: () => createAgent(agentBase as never),
  AgentRun: () => createAgent(agentBase as never).run("x"),
  AgentStep: () => ({ name: "x", kind: "model", input: { runId: "r", stepIndex: 0 } }),
  Bridge: () => createBridge(protocol as never, { tools: [] }),
  BridgeReader: async () => (await instance("Bridge")).createReader({ onEvent() {} }),
  EventBus: () => new EventBus(),
  FileDomainService: async () => new FileDomainService(await instance("FsHandle")),
  FsHandle: () =>
    new DiskFileSystem({ rootDir: scratchDir() }).createHandle([
      { prefix: "/workspace/", ops: ["list", "read", "write"] },
    ]),
  GatewayConfig: () => ({ settings: { listen: {} }, stateDir: scratchDir(), servers: [server] }),
  LocalTools: () => openLocalTools({ roots: scratchDir(), stateDir: scratchDir() }),
  McpClient: () => createMcpClient({ name: "s", transport: { type: "stdio", command: "node" } }),
  ParseResult: () => ({ blocks: [], diagnostics: [] }),
  Parser: () => createParser({}),
  ReplayedRun: async () => {
    const recorded = await instance("RecordedRun");
    await recorded.result;
    return replayRun(recorded.recording, { protocol: nativeProtocol() });
  },
  RecordedRun: () => recordRun(agentBase as never, "x"),
  RegisteredToolFunction: async () => (await instance("Toolkit")).registered.get("f"),
  Router: () => createRouter({ capabilities: [], allowVolatile: true }),
  Sandbox: () => createSandbox({ language: "javascript", pool: { size: 0 } }),
  SandboxSession: async () => (await instance("Sandbox")).openSession({}),
  Secrets: () => openSecrets(),
  ShellSession: () => openShell({ backend: "pipe", cwd: scratchDir(), artifactDir: scratchDir() }),
  ToolProtocol: () => protocol,
  Steering: () => instance("AgentRun"),
  Toolkit: () => {
    const toolkit = new Toolkit();
    toolkit.registerToolFunction(() => 1, { name: "f", description: "d", args: {} });
    return toolkit;
  },
  TrpClient: async () => {
    const transport = inProcessTransport(await instance("Router"), principal({ id: "p" }));
    return createClient({ transport, agentId: "a" });
  },
  UpstreamLogins: async () => openLogins(await instance("GatewayConfig")),
};

afterAll(async () => {
  // What is within another one goes first.
  for (const one of [...instances.values()].reverse()) {
    const { close, [Symbol.asyncDispose]: dispose } = Object(one) as Partial<AsyncDisposable & { close(): unknown }>;
    await (dispose ?? close)?.call(one);
  }
});

/** Returns a value for a parameter that is no options. */
async function standIn(parameter: ts.Symbol): Promise<unknown> {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(parameter));
  const name = (type.aliasSymbol ?? type.getSymbol())?.name;
  if (name && made[name]) return await instance(name);
  const parts = type.isUnion() ? type.types : [type];
  const has = (flags: ts.TypeFlags): boolean => parts.some((part) => (part.flags & flags) !== 0);
  if (parameter.name === "path") return "/workspace/x";
  if (has(ts.TypeFlags.StringLike)) return parts.find((part) => part.isStringLiteral())?.value ?? "x";
  if (has(ts.TypeFlags.NumberLike)) return 1;
  if (parts.some((part) => checker.isArrayLikeType(part))) return [];
  return parts.some((part) => part.getCallSignatures().length > 0) ? () => {} : anything;
}

/** What a call throws, or rejects with, before anything else happens. */
async function faultOf(call: () => unknown): Promise<unknown> {
  try {
    await Promise.race([call(), new Promise((resolve) => setImmediate(() => setImmediate(resolve)))]);
    return undefined;
  } catch (error) {
    return error;
  }
}

it("should be told at once by every public function, constructor and method which option is of a wrong kind", async () => {
  const faults: string[] = [];
  let called = 0;
  for (const door of doors()) {
    // The modules of single dialects have the same functions.
    if (unchecked.some(([which]) => which.test(door.name)) || /^dialects\/(?!hermes)/.test(door.name)) continue;
    const self = door.kind === "method" ? await instance(door.of) : await import(door.file);
    const callee = self?.[door.method ?? door.of];
    if (typeof callee !== "function") {
      faults.push(`${door.name}: nothing is made to call it with`);
      continue;
    }
    called += 1;
    const [before, after] = [await Promise.all(door.before.map(standIn)), await Promise.all(door.after.map(standIn))];
    for (const property of door.options.getProperties()) {
      const wanted = checker.getTypeOfSymbol(property);
      for (const [value, valueType] of values) {
        const isOwn = !(checker.getNonNullableType(wanted).flags & ts.TypeFlags.Never);
        if (!isOwn || takes(wanted, value, valueType)) continue;
        const all = [...before, { ...bases[door.name], [property.name]: value }, ...after];
        const fault = await faultOf(() =>
          door.kind === "class" ? Reflect.construct(callee, all) : Reflect.apply(callee, self, all),
        );
        const message = fault instanceof Error ? fault.message : String(fault);
        const isTold = typeof value === "string" ? message.includes(JSON.stringify(value)) : /, not ./.test(message);
        if (!(fault instanceof TypeError) || !message.includes(property.name) || !isTold)
          faults.push(`${door.name}: ${property.name}, ${typeof value} ${String(value)}: ${message}`);
      }
    }
  }
  expect(faults).toEqual([]);
  expect(called).toBeGreaterThan(200);
}, 120_000);
