/** The faster JSON Schema engine: ajv, which compiles schemas to code. Same verdicts and errors as the default one. */
export { ajvValidator } from "./ajv-validator.ts";
