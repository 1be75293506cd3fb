import { format } from "@cfworker/json-schema";
import type { JsonSchemaObject } from "@toolglot/core";
import { Ajv, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Validator, ValidatorFactory } from "../types.ts";
import { checkKeywords, draftOf } from "../validator.ts";

/** Options of {@link ajvValidator}. */
export interface AjvValidatorOptions {
  /** Further options for ajv. `strict`, `allErrors` and `logger` are set here, since verdicts depend on them. */
  ajv?: Omit<Options, "strict" | "allErrors" | "logger">;
}

/** The id under which the root is known to references into it. */
const rootId = "toolglot:input";

/**
 * A validator factory on ajv: `toInputSchema(schema, { validator: ajvValidator() })`, or `new Toolkit({ validator:
 * ajvValidator() })`. It makes code at run time, so it does not run where `eval` is forbidden. Compiling takes about a
 * millisecond per schema; a check then takes a fraction of the default engine's time.
 */
export function ajvValidator(options: AjvValidatorOptions = {}): ValidatorFactory {
  return (schema: JsonSchemaObject): Validator => {
    checkKeywords(schema);
    const ajv = engineFor(schema, options);
    const { $id: _, $schema: __, ...root } = schema;
    ajv.addSchema({ ...root, $id: rootId } as object);
    const compiled = new Map<string, ValidateFunction>();
    const at = (pointer: string): ValidateFunction => {
      let found = compiled.get(pointer);
      if (!found) {
        const path = pointer.split("/").map(encodeURIComponent).join("/");
        found = ajv.compile({ $ref: `${rootId}#${path}` });
        compiled.set(pointer, found);
      }
      return found;
    };
    // What is wrong with a schema is known now, not at the first call.
    at("");
    return {
      accepts(value: unknown, pointer = ""): boolean {
        try {
          return at(pointer)(value) === true;
        } catch (error) {
          if (error instanceof RangeError) throw error;
          return false;
        }
      },
    };
  };
}

function engineFor(schema: JsonSchemaObject, { ajv: more }: AjvValidatorOptions): Ajv {
  const settings: Options = { ...more, strict: false, allErrors: false, logger: false, validateFormats: true };
  const draft = draftOf(schema);
  const engine =
    draft === "2020-12" ? new Ajv2020(settings) : draft === "2019-09" ? new Ajv2019(settings) : new Ajv(settings);
  for (const [name, check] of Object.entries(format)) engine.addFormat(name, check as (text: string) => boolean);
  return engine;
}
