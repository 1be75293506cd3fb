import { isObject } from "@toolglot/internal";

/** A schema of zod 3, which has no JSON Schema of its own. */
interface Zod3 {
  _def: Record<string, unknown> & { typeName: string; description?: string };
}

const isZod3 = (value: unknown): value is Zod3 =>
  isObject(value) && isObject(value._def) && typeof value._def.typeName === "string";

/**
 * Returns the JSON Schema of a zod 3 schema; undefined when it is none. What JSON Schema can't say (refinements, transforms) is left out.
 */
export function fromZod3(schema: unknown, depth = 0): object | undefined {
  if (!isZod3(schema)) return undefined;
  const made = depth > 50 ? {} : convert(schema, depth + 1);
  const { description } = schema._def;
  return description === undefined ? made : { ...made, description };
}

function convert({ _def: def }: Zod3, depth: number): object {
  const inner = (value: unknown): object => fromZod3(value, depth) ?? {};
  switch (def.typeName) {
    case "ZodString":
      return { type: "string", ...checks(def.checks, { min: "minLength", max: "maxLength" }) };
    case "ZodNumber": {
      const list = (def.checks ?? []) as { kind: string }[];
      const isWhole = list.some(({ kind }) => kind === "int");
      return { type: isWhole ? "integer" : "number", ...checks(def.checks, { min: "minimum", max: "maximum" }) };
    }
    case "ZodBoolean":
      return { type: "boolean" };
    case "ZodNull":
      return { type: "null" };
    case "ZodDate":
      return { type: "string", format: "date-time" };
    case "ZodLiteral":
      return { const: def.value };
    case "ZodEnum":
      return { type: "string", enum: def.values };
    case "ZodNativeEnum": {
      const values = Object.entries(def.values as object).filter(
        ([key, value]) => typeof value !== "string" || Number.isNaN(Number(key)),
      );
      const numbers = values.some(([, value]) => typeof value === "number");
      return {
        enum: numbers
          ? values.map(([, value]) => value).filter((value) => typeof value === "number")
          : values.map(([, value]) => value),
      };
    }
    case "ZodArray":
      return { type: "array", items: inner(def.type) };
    case "ZodTuple":
      return { type: "array", prefixItems: (def.items as unknown[]).map(inner) };
    case "ZodSet":
      return { type: "array", items: inner(def.valueType), uniqueItems: true };
    case "ZodRecord":
      return { type: "object", additionalProperties: inner(def.valueType) };
    case "ZodObject":
      return object(def, inner);
    case "ZodUnion":
      return { anyOf: (def.options as unknown[]).map(inner) };
    case "ZodDiscriminatedUnion":
      return {
        anyOf: [...((def.options instanceof Map ? def.options.values() : def.options) as Iterable<unknown>)].map(inner),
      };
    case "ZodIntersection":
      return { allOf: [inner(def.left), inner(def.right)] };
    case "ZodNullable":
      return { anyOf: [inner(def.innerType), { type: "null" }] };
    case "ZodDefault":
      return { ...inner(def.innerType), default: (def.defaultValue as () => unknown)() };
    case "ZodOptional":
    case "ZodCatch":
    case "ZodReadonly":
      return inner(def.innerType);
    case "ZodBranded":
      return inner(def.type);
    case "ZodEffects":
      return inner(def.schema);
    case "ZodPipeline":
      return inner(def.in);
    case "ZodLazy":
      return inner((def.getter as () => unknown)());
    default:
      return {};
  }
}

function object(def: Zod3["_def"], inner: (value: unknown) => object): object {
  const shape = (def.shape as () => Record<string, Zod3>)();
  const names = Object.keys(shape);
  const required = names.filter((name) => !/^Zod(?:Optional|Default|Catch)$/.test(shape[name]?._def.typeName ?? ""));
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, inner(shape[name])])),
    ...(required.length > 0 && { required }),
    additionalProperties: def.unknownKeys === "passthrough",
  };
}

/** Returns the limits of a text or a number. */
function checks(given: unknown, names: Readonly<Record<string, string>>): object {
  const list = (Array.isArray(given) ? given : []) as { kind: string; value: unknown; inclusive?: boolean }[];
  return Object.fromEntries(
    list
      .filter(({ kind, inclusive }) => names[kind] !== undefined && inclusive !== false)
      .map(({ kind, value }) => [names[kind], value]),
  );
}
