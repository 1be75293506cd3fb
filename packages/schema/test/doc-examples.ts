// The examples of the doc comments, word for word, in functions that can be run. doc-examples.test.ts compares and runs them.
import { argsSchema, isInputSchema, toInputSchema } from "@toolglot/schema";
import { ajvValidator } from "@toolglot/schema/ajv";
import { z } from "zod";

export const examples: Record<string, () => Promise<unknown>> = {
  async toInputSchema() {
    const trip = toInputSchema(z.object({ city: z.string().describe("City name"), days: z.int().default(3) }));
    const result = await trip.validate({ city: "Oslo", days: "5" }); // { success: true, value: { city: "Oslo", days: 5 }, … }
    return result.success && result.value;
  },
  async argsSchema() {
    const trip = argsSchema({ city: "string - City name", "days?": "integer = 3", unit: "'C' | 'F'" });
    const { required } = trip.jsonSchema; // ["city", "unit"]
    return required;
  },
  async isInputSchema() {
    const ready = isInputSchema(toInputSchema({ city: "string" })); // true
    return ready;
  },
  async ajvValidator() {
    const trip = toInputSchema({ city: "string", "days?": "integer" }, { validator: ajvValidator() });
    const result = await trip.validate({ city: "Oslo", days: "soon" });
    return result.success;
  },
};
