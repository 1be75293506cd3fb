import ts from "typescript";

/**
 * Says what the TypeScript compiler has against a text of declarations, in strict mode, beside the declarations of the
 * language itself. Those are read once.
 */
export function createTypeScriptCheck(): (text: string) => string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts"],
    types: [],
    skipDefaultLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const libraries = new Map<string, ts.SourceFile | undefined>();
  const read = host.getSourceFile;
  let last: ts.Program | undefined;
  return (text) => {
    const name = "tools.ts";
    const own = ts.createSourceFile(name, text, ts.ScriptTarget.ES2022);
    host.getSourceFile = (file, language) => {
      if (file === name) return own;
      if (!libraries.has(file)) libraries.set(file, read(file, language));
      return libraries.get(file);
    };
    last = ts.createProgram([name], options, host, last);
    const found = [
      ...last.getSyntacticDiagnostics(own),
      ...last.getSemanticDiagnostics(own),
      ...last.getGlobalDiagnostics(),
    ];
    return found.map(({ messageText, start = 0 }) => {
      const { line } = own.getLineAndCharacterOfPosition(start);
      return `${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
  };
}
