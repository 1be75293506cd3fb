// Finds what a source file imports, by TypeScript's own parser: comments and strings can't fool it.
import ts from "typescript";

/**
 * @typedef {{ specifier: string, line: number, typeOnly: boolean }} Import line is 1-based.
 */

/**
 * Every module a file names: static and dynamic imports, re-exports, `import()` types, `require`, `require.resolve`,
 * `import.meta.resolve`. An import whose name is computed is left out, it can't be checked.
 * @param {string} file Decides TypeScript or JavaScript by its ending.
 * @param {string} source
 * @returns {Import[]}
 */
export function findImports(file, source) {
  const known = read.get(file);
  if (known?.source === source) return known.imports;
  const imports = readImports(file, source);
  read.set(file, { source, imports });
  return imports;
}

/** What was read, because each check asks again. @type {Map<string, { source: string, imports: Import[] }>} */
const read = new Map();

/**
 * @param {string} file
 * @param {string} source
 * @returns {Import[]}
 */
function readImports(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  /** @type {Import[]} */
  const imports = [];
  /**
   * @param {ts.Node | undefined} node
   * @param {boolean} [typeOnly]
   */
  const add = (node, typeOnly = false) => {
    if (node === undefined || !ts.isStringLiteralLike(node)) return;
    const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
    imports.push({ specifier: node.text, line, typeOnly });
  };
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnlyImport(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference))
      add(node.moduleReference.expression);
    else if (ts.isCallExpression(node) && loadsModule(node.expression)) add(node.arguments[0]);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return imports;
}

/** @param {ts.ImportClause | undefined} clause */
function isTypeOnlyImport(clause) {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause.namedBindings;
  if (clause.name !== undefined || named === undefined || !ts.isNamedImports(named)) return false;
  return named.elements.length > 0 && named.elements.every((element) => element.isTypeOnly);
}

const loaders = new Set(["require", "require.resolve", "import.meta.resolve"]);

/** @param {ts.Expression} callee */
const loadsModule = (callee) =>
  callee.kind === ts.SyntaxKind.ImportKeyword || loaders.has(callee.getText().replaceAll(/\s/g, ""));
