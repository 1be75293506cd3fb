/** Tools as code shows them to a model: Python functions, TypeScript declarations, and calls in either language. */
export { type RenderStubsOptions, renderPythonCall, renderPythonStubs } from "./stubs/python-stubs.ts";
export { renderJavaScriptCall, renderTypeScriptDeclarations } from "./stubs/typescript-declarations.ts";
