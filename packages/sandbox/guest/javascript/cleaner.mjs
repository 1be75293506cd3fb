// The conversions of JavaScript's values, for the host: a tool's result is written as a program's is.
import { base64 } from "./realm/base64.mjs";
import { makeCleaner } from "./realm/clean.mjs";
import { makeKinds } from "./realm/kinds.mjs";

const isPromise = (/** @type {unknown} */ value) => value instanceof Promise;

export const { clean, TooLarge, Unfit } = makeCleaner(isPromise, makeKinds(), base64);
