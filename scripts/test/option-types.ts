// The types of the options of all public functions, as the compiler knows them, and values of every kind to try them with.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../lib/workspace.mjs";

const { config } = ts.readConfigFile(join(root, "tsconfig.tests.json"), ts.sys.readFile);
const { fileNames, options } = ts.parseJsonConfigFileContent({ ...config, include: ["packages/*/src"] }, ts.sys, root);
/** Every door of a shorthand, each with a word that is no type. */
export const wrongWords = {
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
export const program: ts.Program = ts.createProgram([...fileNames, wrongWords.name], options, host);
export const checker: ts.TypeChecker = program.getTypeChecker();

/** Of each kind one value, and its type. */
export const values: readonly (readonly [unknown, ts.Type])[] = [
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
export function takes(type: ts.Type, value: unknown, valueType: ts.Type): boolean {
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

/** A parameter of options: it is called so, or its type is. */
const isOptions = (parameter: ts.Symbol): boolean => {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(parameter));
  const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
  return (
    isObject &&
    !checker.isArrayLikeType(type) &&
    type.getCallSignatures().length === 0 &&
    (/[oO]ptions$/.test(parameter.name) || /Options$/.test((type.aliasSymbol ?? type.getSymbol())?.name ?? ""))
  );
};

const isPrivate = ({ valueDeclaration: one }: ts.Symbol): boolean =>
  one !== undefined && ts.isClassElement(one) && one.name !== undefined && ts.isPrivateIdentifier(one.name);

/** A function with options, as a user finds it. */
export interface Door {
  /** `package/entry: name`, or `package/entry: Type.method`. */
  readonly name: string;
  /** The source that it is imported from. */
  readonly file: string;
  /** The export, or the type that it is a method of. */
  readonly of: string;
  readonly kind: "function" | "class" | "method";
  readonly method?: string;
  /** The parameters before the options. */
  readonly before: readonly ts.Symbol[];
  readonly options: ts.Type;
  /** The parameters behind them that must be there. */
  readonly after: readonly ts.Symbol[];
}

const typeOf = (symbol: ts.Symbol): ts.Type => checker.getNonNullableType(checker.getTypeOfSymbol(symbol));

/** All public functions, constructors and methods that take options, of all packages, as their types say. */
export function* doors(): Generator<Door> {
  const seen = new Set<string>();
  for (const folder of readdirSync(join(root, "packages"))) {
    if (folder === "internal") continue;
    const manifest = ts.readConfigFile(join(root, "packages", folder, "package.json"), ts.sys.readFile).config;
    for (const [path, { source }] of Object.entries(manifest.exports as Record<string, { source?: string }>)) {
      const file = join(root, "packages", folder, source ?? "");
      const module = program.getSourceFile(file);
      const symbol = module && checker.getSymbolAtLocation(module);
      if (!source || !symbol) continue;
      for (const exported of checker.getExportsOfModule(symbol)) {
        const target = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
        const name = `${folder}${path.slice(1)}: ${exported.name}`;
        const found: [Door["kind"], string | undefined, readonly ts.Signature[]][] = [];
        if (target.flags & ts.SymbolFlags.Value) {
          const type = checker.getTypeOfSymbol(target);
          found.push(["function", undefined, type.getCallSignatures()]);
          found.push(["class", undefined, type.getConstructSignatures()]);
        }
        if (target.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface) && !/Options$/.test(target.name))
          for (const member of checker.getDeclaredTypeOfSymbol(target).getProperties())
            if (!isPrivate(member)) found.push(["method", member.name, typeOf(member).getCallSignatures()]);
        for (const [kind, method, signatures] of found) {
          for (const signature of signatures) {
            const parameters = signature.getParameters();
            const at = parameters.findIndex(isOptions);
            const given = at === -1 ? undefined : typeOf(parameters[at] as ts.Symbol);
            if (!given || given.getProperties().length === 0) continue;
            const door = { name: method ? `${name}.${method}` : name, file, of: exported.name, kind, options: given };
            const key = `${door.name} ${given.getProperties().map((one) => one.name)}`;
            if (!seen.has(key))
              yield {
                ...door,
                ...(method && { method }),
                before: parameters.slice(0, at),
                after: parameters
                  .slice(at + 1)
                  .filter(
                    ({ valueDeclaration: one }) => one && ts.isParameter(one) && !checker.isOptionalParameter(one),
                  ),
              };
            seen.add(key);
          }
        }
      }
    }
  }
}
