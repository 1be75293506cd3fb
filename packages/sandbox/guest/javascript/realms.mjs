// The two realms of programs, made in one engine: theirs, and the bridge's beside it, which they never see.
import { makeArguments } from "./realm/arguments.mjs";
import { base64 } from "./realm/base64.mjs";
import { makeBridge } from "./realm/bridge.mjs";
import { makeCleaner } from "./realm/clean.mjs";
import { makeInspector } from "./realm/inspect.mjs";
import { makeKinds } from "./realm/kinds.mjs";
import { makeLayout } from "./realm/layout.mjs";
import { makeLocale } from "./realm/locale.mjs";
import { nearest } from "./realm/nearest.mjs";
import { programSide } from "./realm/program-side.mjs";
import { makeRandom } from "./realm/random.mjs";
import { addTimers } from "./realm/timers.mjs";
import { addUrl } from "./realm/url.mjs";
import { makeVariables } from "./realm/variables.mjs";
import { addWeb } from "./realm/web.mjs";

/** @typedef {import("quickjs-emscripten").QuickJSContext} Context */
/** @typedef {import("quickjs-emscripten").QuickJSHandle} Handle */
/** @typedef {import("quickjs-emscripten").QuickJSRuntime} Runtime */

/** What memory holds when our own part is in it, or makes that by `evaluate`. @typedef {import("./image.mjs").Restore} Restore */

/** Where the bridge's functions are in its own realm. */
const functionsName = "toolglot";

/** In stacks; only the program's own file is looked at there. */
const fileName = "toolglot";

/**
 * A function's text. Bundlers that keep names call a helper of theirs in it.
 * @param {Function} made
 */
const text = (made) => `(() => { const __name = (made) => made; return ${made}; })()`;

/** A text that takes less memory: without indentation, one byte a character. @param {string} text */
const compact = (text) =>
  text
    .replace(/\n\s+/g, "\n")
    .replace(/[^\0-\xff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** An object's text. @param {Record<string, Function>} parts */
const fields = (parts) =>
  `{ ${Object.entries(parts)
    .map(([name, made]) => `${name}: ${text(made)}`)
    .join(", ")} }`;

/** @param {Context} context @param {string} code */
function evaluate(context, code) {
  return context.unwrapResult(context.evalCode(code, fileName, { type: "global", strict: true }));
}

/**
 * The bridge's functions, by name, and the program's realm.
 * @param {Runtime} runtime
 * @param {(text: string) => boolean} host Gets what the program sends; true when no more output is wanted.
 * @param {Restore} restore
 */
export function makeRealms(runtime, host, restore) {
  const program = runtime.newContext();
  const bridge = runtime.newContext();
  const hostFunction = bridge.newFunction("host", (said) =>
    host(bridge.getString(said)) ? bridge.true : bridge.false,
  );
  restore([program.global, bridge.global, hostFunction], () => evaluateAll(program, bridge, hostFunction));
  const functions = bridge.getProp(bridge.global, functionsName);
  const named = (/** @type {string} */ name) => bridge.getProp(functions, name);
  return {
    program,
    bridge,
    start: named("start"),
    settle: named("settle"),
    describe: named("describe"),
    finish: named("finish"),
    value: named("value"),
    declare: named("declare"),
    hidden: named("hidden"),
    variables: named("variables"),
    names: named("names"),
    wait: named("wait"),
    fire: named("fire"),
  };
}

/** Evaluates our own part in both realms. @param {Context} program @param {Context} bridge @param {Handle} hostFunction */
function evaluateAll(program, bridge, hostFunction) {
  const makers = { makeArguments, makeCleaner, makeInspector, makeKinds, makeLayout, makeRandom, makeVariables };
  const make = evaluate(
    bridge,
    `(host, programSide) => ${text(makeBridge)}(host, programSide, ${fields({ ...makers, base64, nearest })})`,
  );
  const makeSide = evaluate(
    program,
    `(locale, url, web) => (bridge) => ${text(programSide)}(bridge, { addTimers: ${text(addTimers)}, locale, url, web })`,
  );
  const later = [makeLocale, addUrl, addWeb].map((made) => program.newString(compact(text(made))));
  const side = program.unwrapResult(program.callFunction(makeSide, program.undefined, ...later));
  const functions = bridge.unwrapResult(bridge.callFunction(make, bridge.undefined, hostFunction, side));
  bridge.setProp(bridge.global, functionsName, functions);
  for (const handle of [make, makeSide, ...later, side, functions]) handle.dispose();
}
