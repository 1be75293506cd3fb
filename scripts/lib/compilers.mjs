// The compilers that the declarations in our tarballs must satisfy: TypeScript 7, which checks our sources and tests too, and 6,
// which many users still have. A plain run asks the first; TOOLGLOT_REQUIRE_ALL=1 asks both.
import { join } from "node:path";
import { root } from "./workspace.mjs";

/** @typedef {{ args: string[] }} Compiler `args`: what follows `node`, before the project. */

/** One thread: two compilations run side by side already. @type {Compiler} */
export const fastest = {
  args: [join(root, "node_modules/typescript-native/bin/tsc"), "--singleThreaded"],
};

/** @type {Compiler} */
const previous = { args: [join(root, "node_modules/typescript/bin/tsc")] };

export const compilers = process.env.TOOLGLOT_REQUIRE_ALL === "1" ? [fastest, previous] : [fastest];
