import { ToolError } from "@toolglot/core";

/** Content of a URI, as a tool gets it. */
export interface Resource {
  uri: string;
  /** As `image/png`; `application/octet-stream` when the type is unknown. */
  mediaType: string;
  /** The content. Throws `ToolError` when it can't be read. */
  bytes(): Promise<Uint8Array>;
}

/** Finds what a URI of its scheme stands for. Throws `ToolError` with words for the model. */
export type ResourceResolver = (uri: string, context: { signal: AbortSignal }) => Resource | Promise<Resource>;

/** Resolvers by scheme, without the colon: `{ fam, file, data }`. */
export type ResourceSchemes = Readonly<Record<string, ResourceResolver>>;

/** Resolves with the resource of a URI. Throws `ToolError` when its scheme is not registered, or its resolver refuses. */
export async function resolveResource(
  uri: string,
  schemes: ResourceSchemes,
  context: { signal: AbortSignal },
): Promise<Resource> {
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  const resolver = scheme !== undefined && Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined;
  if (resolver) return resolver(uri, context);
  const known = Object.keys(schemes).map((name) => `${name}:`);
  const cure =
    known.length === 0 ? "No URI can be read here." : `URIs that can be read begin with ${known.join(", ")}.`;
  const what = scheme === undefined ? "is no URI" : `has the unknown scheme "${scheme}:"`;
  throw new ToolError(`${JSON.stringify(clipped(uri))} ${what}. ${cure}`, { data: { type: "UnknownUriScheme" } });
}

/** Resolves with the content of a resource as text. Throws `ToolError` when it is no UTF-8. */
export async function resourceText(resource: Resource): Promise<string> {
  const bytes = await resource.bytes();
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new ToolError(`${clipped(resource.uri)} is no UTF-8 text (${resource.mediaType}).`, {
      data: { type: "InvalidResource" },
    });
  }
}

/** Reads `data:` URIs, base64 or percent-encoded. */
export const dataResolver: ResourceResolver = (uri) => {
  const comma = uri.indexOf(",");
  const [mediaType = "", ...more] = uri.slice("data:".length, Math.max(comma, 0)).split(";");
  const isBase64 = more.at(-1)?.trim().toLowerCase() === "base64";
  const body = uri.slice(comma + 1);
  let bytes: Uint8Array;
  try {
    if (comma < 0 || !/^data:/i.test(uri) || /%(?![\da-f]{2})/i.test(body)) throw new TypeError("no data: URI");
    bytes = percentBytes(body);
    if (isBase64) bytes = base64Bytes(bytes);
  } catch {
    throw new ToolError(`${JSON.stringify(clipped(uri))} is no valid data: URI.`, { data: { type: "InvalidUri" } });
  }
  return { uri, mediaType: mediaType.trim() || "text/plain", bytes: async () => bytes };
};

/** Reads base64 in either alphabet, white space left out. Throws for anything else. */
function base64Bytes(encoded: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(encoded).replace(/\s/g, "").replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
}

/** Reads percent-encoded bytes, of any kind; other characters are UTF-8. */
function percentBytes(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const out = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    let byte = bytes[at] as number;
    if (byte === 0x25) {
      byte = Number.parseInt(String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0), 16);
      at += 2;
    }
    out[length++] = byte;
  }
  return out.subarray(0, length);
}

function clipped(uri: string): string {
  return uri.length > 120 ? `${uri.slice(0, 120)}…` : uri;
}
