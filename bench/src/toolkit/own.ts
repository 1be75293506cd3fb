import { ajvValidator } from "@toolglot/schema/ajv";
import { Toolkit, type ToolkitOptions, toolkitExecutor } from "@toolglot/toolkit";
import { execute } from "../execute.ts";
import { booking, bookingSchema, bookingText, bookingZod, expected, price } from "./booking.ts";
import type { Subject } from "./subject.ts";

type Input = typeof bookingSchema | typeof bookingZod;

const anything = { type: "object" } as const;

function kit(input: Input, options: ToolkitOptions = {}): Toolkit {
  const toolkit = new Toolkit(options);
  toolkit.registerToolFunction(price, { name: "price", description: "The price of a stay.", input });
  return toolkit;
}

async function call(toolkit: Toolkit, input: unknown): Promise<unknown> {
  let data: unknown;
  for await (const response of toolkit.callToolFunction({ name: "price", input })) data = response.data;
  return data;
}

const subject = (name: string, toolkit: Toolkit, input: unknown = booking): Subject => ({
  name,
  expected,
  call: () => call(toolkit, input),
});

function withMiddleware(count: number): Toolkit {
  const toolkit = kit(anything);
  for (let made = 0; made < count; made += 1) {
    toolkit.registerMiddleware(async function* (_call, next) {
      yield* next();
    });
  }
  return toolkit;
}

function throughTools(): Subject {
  const [tool] = kit(bookingSchema, { validator: ajvValidator() }).tools();
  const context = { signal: new AbortController().signal, callId: "call-1" };
  return { name: "`tools()`, ten fields on ajv", expected, call: async () => tool?.execute(booking, context) };
}

function throughExecutor(): Subject {
  const executor = toolkitExecutor(kit(bookingSchema, { validator: ajvValidator() }));
  const call = async (): Promise<unknown> => (await execute(executor, "price", booking))?.data;
  return { name: "`toolkitExecutor`, ten fields on ajv", expected, call };
}

/** What a call costs without the toolkit: the function itself. */
export const bare: Subject = { name: "the async function itself", expected, call: () => price(booking) };

/** The two that have to be fast, and the rest. */
export function ownSubjects(): { unchecked: Subject; onAjv: Subject; others: Subject[] } {
  const ajv = { validator: ajvValidator() };
  return {
    unchecked: subject("a schema that takes any object", kit(anything)),
    onAjv: subject("ten fields on ajv", kit(bookingSchema, ajv)),
    others: [
      subject("ten fields on ajv, input as JSON text", kit(bookingSchema, ajv), bookingText),
      subject("ten fields on the default engine", kit(bookingSchema)),
      subject("ten fields in zod, on ajv", kit(bookingZod, ajv)),
      subject("ten fields in zod, on the default engine", kit(bookingZod)),
      subject("any object, one middleware", withMiddleware(1)),
      subject("any object, three middleware", withMiddleware(3)),
      subject("any object, traced without an SDK", kit(anything, { tracing: true })),
      throughTools(),
      throughExecutor(),
    ],
  };
}
