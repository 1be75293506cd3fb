// The compilers that the sources, and the declarations in our tarballs, must satisfy: TypeScript 7 is the faster one, and many users
// still have 6, which takes nine times as long. With TOOLGLOT_REQUIRE_ALL=1 `consumer` asks it once about all packages.
import { join } from "node:path";
import { root } from "./workspace.mjs";

/** @typedef {{ name: string, args: string[] }} Compiler `args`: what follows `node`, before the project. */

/** One thread: two compilations run side by side already. @type {Compiler} */
export const fastest = {
  name: "TypeScript 7",
  args: [join(root, "node_modules/typescript-native/bin/tsc"), "--singleThreaded"],
};

/** Of what it reads in packages it checks ours. @type {Compiler} */
export const previous = { name: "TypeScript 6", args: [join(root, "scripts/lib/declarations-of-ours.mjs")] };
