import type { ShowTools } from "../protocol-of.ts";
import type { DialectId } from "../table/ids.ts";
import { renderElements } from "./render-elements.ts";
import { renderNamespace } from "./render-namespace.ts";
import { type RenderList, renderJson, showWith } from "./render-row.ts";
import { writeCalls } from "./serialize.ts";

const renderers = {
  hermes: renderJson,
  "qwen-xml": renderElements,
  glm: renderJson,
  harmony: renderNamespace,
} satisfies Partial<Record<DialectId, RenderList>>;

/** Shows the tools of a dialect that is at hand, as `renderTools` does. */
export const renderRow: ShowTools = (dialect, tools, locale) => {
  if (!Object.hasOwn(renderers, dialect.id))
    throw new TypeError(
      `renderTools: ${dialect.id} has no text for its tools. It is for ${Object.keys(renderers).join(", ")}; let the server's chat template show the tools to other models.`,
    );
  return showWith(writeCalls, renderers[dialect.id as keyof typeof renderers])(dialect, tools, locale);
};
