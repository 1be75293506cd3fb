/** One metric of a page in the text format of Prometheus, version 0.0.4. */
export interface Family {
  help: string;
  type: string;
  /** By name and labels, as they stand. */
  samples: Map<string, number>;
}

const sample = /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\})? (\S+)$/;

/** Reads a page, strictly: each sample belongs to the family that was announced, and is there once. */
export function readPage(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let name = "";
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, kind, of = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === "HELP") {
      if (families.has(of)) throw new Error(`${of} is there twice`);
      name = of;
      families.set(of, { help: rest, type: "", samples: new Map() });
      continue;
    }
    const family = families.get(name);
    if (family === undefined) throw new Error(`no family: ${line}`);
    if (kind === "TYPE") {
      if (of !== name) throw new Error(`type of another: ${line}`);
      family.type = rest;
      continue;
    }
    const [, own = "", labels = "", value = ""] = sample.exec(line) ?? [];
    const suffix = own.startsWith(name) ? own.slice(name.length) : "?";
    if (!(family.type === "histogram" ? /^_(?:bucket|sum|count)$/ : /^$/).test(suffix))
      throw new Error(`what is ${line}`);
    if (family.samples.has(own + labels)) throw new Error(`twice: ${line}`);
    family.samples.set(own + labels, Number(value));
  }
  return families;
}

/** The value of one sample, as `trp_calls_total{cap_id="a"}`; the order of labels is that of the page. */
export function sampleOf(text: string, name: string): number | undefined {
  for (const { samples } of readPage(text).values()) if (samples.has(name)) return samples.get(name);
  return undefined;
}
