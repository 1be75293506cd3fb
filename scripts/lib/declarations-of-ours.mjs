// `node declarations-of-ours.mjs -p tsconfig.json`: what TypeScript 6 says of a program's own files and of the declarations of our packages,
// like `tsc --noEmit`. Those of other packages are read where ours need them, and not checked for themselves: that takes three times as
// long, and TypeScript 7 has done it.
import ts from "typescript";

const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail };
const { options } = ts.parseCommandLine(process.argv.slice(2));
const config = ts.getParsedCommandLineOfConfigFile(options.project ?? "tsconfig.json", {}, host);
if (config === undefined) throw new Error("no configuration");
const program = ts.createProgram(config.fileNames, config.options);
const ours = program
  .getSourceFiles()
  .filter(({ fileName }) => !fileName.includes("/node_modules/") || fileName.includes("/node_modules/@toolglot/"));
const found = [
  ...config.errors,
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...ours.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
];
if (found.length > 0) fail(...found);

/** @param {ts.Diagnostic[]} diagnostics @returns {never} */
function fail(...diagnostics) {
  const words = {
    getCurrentDirectory: ts.sys.getCurrentDirectory,
    getCanonicalFileName: String,
    getNewLine: () => "\n",
  };
  console.log(ts.formatDiagnostics(diagnostics, words));
  process.exit(1);
}
