// From a program's text to the function that runs it.

/** @typedef {import("quickjs-emscripten").QuickJSHandle} Handle */
/** @typedef {import("./interpreter.mjs").Interpreter} Interpreter */

/** @param {Interpreter} interpreter @param {string} text */
function evaluate({ realms, reporter }, text) {
  return realms.program.evalCode(text, reporter.file, { type: "global" });
}

/** The program as a function; undefined when it is none, and is over. @param {Interpreter} interpreter @returns {Handle | undefined} */
export function compileProgram(interpreter) {
  const { reporter } = interpreter;
  let compiled = evaluate(interpreter, reporter.text);
  if (compiled.error && reporter.simplify()) compiled = evaluate(interpreter, reporter.text);
  if (!compiled.error) return interpreter.use(compiled.value);
  const described = interpreter.describe(interpreter.use(compiled.error));
  const isSyntax = described.type === "SyntaxError";
  return interpreter.fail(isSyntax ? reporter.syntax(described) : reporter.exception(described));
}

/**
 * The program as one that leaves what it declares to the next; its functions are there already. Undefined when it ended.
 * @param {Interpreter} interpreter @param {Handle} compiled What it is where its text can't be changed. @returns {Handle | undefined}
 */
export function keepDeclarations(interpreter, compiled) {
  const { realms, reporter } = interpreter;
  const { names, functions } = reporter.persist();
  const body = evaluate(interpreter, reporter.text);
  const scripted = body.error ? undefined : evaluate(interpreter, functions);
  const error = body.error ?? scripted?.error;
  if (error) {
    const described = interpreter.describe(interpreter.use(error));
    reporter.forget();
    if (described.type !== "SyntaxError") return interpreter.fail(reporter.exception(described));
    interpreter.warnings.push("not-kept: the declarations of a program that could not be read");
    return compiled;
  }
  const text = interpreter.use(realms.bridge.newString(JSON.stringify(names)));
  const declared = realms.bridge.callFunction(realms.declare, realms.bridge.undefined, text);
  if (declared.error) return interpreter.raise(declared.error);
  return interpreter.use(/** @type {{ value: Handle }} */ (body).value);
}
