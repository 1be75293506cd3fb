// What every package needs once. Private: each build takes in what it uses, so nobody installs this.
export { checkKeys, type KnownKeys } from "./check-keys.ts";
export { type FunctionShape, readFunctionShape } from "./function-shape.ts";
export { canonicalJson, copyJson, isObject } from "./json.ts";
export { nearest } from "./nearest.ts";
