/** One `<result>` as the model reads it. */
export interface ReadResult {
  tool: string;
  index: number;
  status: string;
  /** Of the attribute; undefined when there is none. */
  exit: number | undefined;
  ms: number | undefined;
  type: string | undefined;
  /** The CDATA, joined. */
  text: string;
  /** What stands behind it. */
  note: string;
}

const results = /^<results>\n([\s\S]*)\n<\/results>\n$/;
const result = /<result((?: [\w-]+="[^"]*")*)(?:\/>|>((?:<!\[CDATA\[[\s\S]*?\]\]>|[^<])*)<\/result>)/g;
const section = /<!\[CDATA\[([\s\S]*?)\]\]>/g;

/** Reads what `formatResults` wrote. Throws when something of it is no result: then it is not what the specification says. */
export function readResults(text: string): ReadResult[] {
  if (text === "") return [];
  const inner = results.exec(text)?.[1];
  if (inner === undefined) throw new Error(`no <results>: ${text}`);
  const rest = inner.replace(result, "").trim();
  if (rest !== "") throw new Error(`something else than results: ${rest}`);
  return [...inner.matchAll(result)].map(([, head = "", body = ""]) => {
    const attributes = new Map([...head.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    const number = (name: string): number | undefined =>
      attributes.has(name) ? Number(attributes.get(name)) : undefined;
    return {
      tool: attributes.get("tool") ?? "",
      index: number("index") ?? -1,
      status: attributes.get("status") ?? "",
      exit: number("exit"),
      ms: number("ms"),
      type: attributes.get("type"),
      text: [...body.matchAll(section)].map(([, part]) => part).join(""),
      note: body.replace(section, "").trim(),
    };
  });
}
