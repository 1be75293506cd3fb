import { toInputSchema } from "@toolglot/schema";

export async function consume(): Promise<string> {
  const input = toInputSchema({ city: "string - City name", "days?": "integer = 3" });
  const meant = await input.validate({ city: "Oslo", days: "5" });
  const wrong = await input.validate({ days: "soon" });
  if (!meant.success) throw new Error("a number as text should be coerced");
  // The shorthand gives types: this line is compiled.
  const city: string = meant.value.city;
  return `${city} for ${meant.value.days} days | ${wrong.success}`;
}

export const expected = "Oslo for 5 days | false";
