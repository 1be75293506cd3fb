import { z } from "zod";

/** An input of ten fields: the parts that tools' inputs are made of. */
export interface Booking {
  city: string;
  nights: number;
  guests: number;
  budget: number;
  breakfast: boolean;
  view: "sea" | "garden" | "street";
  email: string;
  note?: string | undefined;
  tags: string[];
  address: { street: string; zip: string };
}

export const booking: Booking = {
  city: "Paris",
  nights: 3,
  guests: 2,
  budget: 240.5,
  breakfast: true,
  view: "garden",
  email: "ada@example.org",
  note: "A quiet room, please.",
  tags: ["quiet", "high floor", "crib"],
  address: { street: "12 Analytical Row", zip: "75011" },
};

/** As a model writes it. */
export const bookingText: string = JSON.stringify(booking);

export const bookingZod = z.object({
  city: z.string().min(1).describe("City name"),
  nights: z.int().min(1).max(30),
  guests: z.int().min(1).max(10),
  budget: z.number(),
  breakfast: z.boolean(),
  view: z.enum(["sea", "garden", "street"]),
  email: z.string().max(200),
  note: z.string().optional(),
  tags: z.array(z.string()).max(20),
  address: z.object({ street: z.string(), zip: z.string().max(10) }),
});

const { $schema, ...schema } = z.toJSONSchema(bookingZod);

/** The same as JSON Schema, of any dialect. */
export const bookingSchema = schema as { type: "object" } & Record<string, unknown>;

/** What all tools here do: next to nothing. */
export async function price({ nights, budget }: Booking): Promise<number> {
  return nights * budget;
}

export const expected = 721.5;
