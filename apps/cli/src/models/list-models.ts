import type { ConfigProvider } from "../config/schema.ts";
import { visible } from "../view/visible.ts";

/** A server of models. */
export interface ModelServer extends Pick<ConfigProvider, "kind" | "baseUrl"> {
  /** Its name among the providers; absent for a base URL of the command line. */
  provider?: string;
  key: string | undefined;
}

/** How long a server may take to list its models. */
const maxListMs = 4000;

/** Resolves with the models that a server offers, by name, or with why that is not known. */
export async function listModels({
  kind = "openai",
  baseUrl,
  key,
}: ModelServer): Promise<{ models: string[] } | { problem: string }> {
  const headers: Record<string, string> =
    kind === "anthropic"
      ? { "x-api-key": key ?? "", "anthropic-version": "2023-06-01" }
      : key
        ? { authorization: `Bearer ${key}` }
        : {};
  try {
    const response = await fetch(`${baseUrl.replace(/\/$/, "")}/models`, {
      headers,
      // A key goes to the provider's own URL and nowhere else.
      redirect: "error",
      signal: AbortSignal.timeout(maxListMs),
    });
    if (!response.ok) return { problem: `HTTP ${response.status}` };
    const { data } = (await response.json()) as { data?: unknown };
    if (!Array.isArray(data)) return { problem: "its answer is no list of models" };
    const ids = data.flatMap((one: { id?: unknown } | null) => (typeof one?.id === "string" ? [visible(one.id)] : []));
    return { models: ids.sort() };
  } catch (error) {
    const { name: kindOfError, message, cause } = error as Error & { cause?: { code?: string } };
    const late = kindOfError === "TimeoutError";
    return { problem: late ? `no answer within ${maxListMs / 1000} s` : visible(cause?.code ?? message) };
  }
}
