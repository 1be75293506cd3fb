import { dirname, join } from "node:path";
import ts from "typescript";

/**
 * Returns what the API of Kubernetes would not know in manifests: they are held to its types, as those of its OpenAPI document are, and a key
 * that a type does not have is a fault.
 */
export function kubernetesFaults(manifests: readonly { apiVersion: string; kind: string }[]): string[] {
  const lines = manifests.map((manifest, at) => {
    const { apiVersion, kind } = manifest;
    const from = apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`;
    return [
      `import type { ${kind} as T${at} } from "kubernetes-types/${from}";`,
      `export const manifest${at}: T${at} = ${JSON.stringify(manifest)};`,
    ].join("\n");
  });
  const file = join(import.meta.dirname, "manifests.ts");
  const options: ts.CompilerOptions = {
    ...{ noEmit: true, strict: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2022 },
    // Manifests need few of the language's own types.
    lib: ["lib.es5.d.ts"],
    ...{ module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  const text = lines.join("\n");
  Object.assign(host, {
    fileExists: (name: string) => name === file || fileExists(name),
    readFile: (name: string) => (name === file ? text : readFile(name)),
    getSourceFile: (name: string, target: ts.ScriptTarget, ...rest: never[]) =>
      name === file ? ts.createSourceFile(name, text, target) : getSourceFile(name, target, ...rest),
    getCurrentDirectory: () => dirname(file),
  });
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}
