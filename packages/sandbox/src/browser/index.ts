/** Runs model-written JavaScript in a Web Worker, with tools as async functions. */
export * from "../public.ts";
export { codeTools } from "./code-tools.ts";
export { type BrowserSandboxOptions, createSandbox } from "./create-sandbox.ts";
