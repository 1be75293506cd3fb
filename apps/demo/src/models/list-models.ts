import type { ConfigProvider } from "../config/schema.ts";
import { visible } from "../view/visible.ts";

/** How long a server may take to list its models. */
const listMs = 4000;

/** The models that a provider's server offers, by name, or why that is not known. */
export async function listModels(
  { kind = "openai", baseUrl }: Pick<ConfigProvider, "kind" | "baseUrl">,
  key: string | undefined,
): Promise<{ models: string[] } | { problem: string }> {
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
      signal: AbortSignal.timeout(listMs),
    });
    if (!response.ok) return { problem: `HTTP ${response.status}` };
    const { data } = (await response.json()) as { data?: unknown };
    if (!Array.isArray(data)) return { problem: "its answer is no list of models" };
    const ids = data.flatMap((one: { id?: unknown } | null) => (typeof one?.id === "string" ? [visible(one.id)] : []));
    return { models: ids.sort() };
  } catch (error) {
    const { name: kindOfError, message, cause } = error as Error & { cause?: { code?: string } };
    const late = kindOfError === "TimeoutError";
    return { problem: late ? `no answer within ${listMs / 1000} s` : visible(cause?.code ?? message) };
  }
}
