import type { HtmlEscapedString } from "hono/utils/html";

/** What a component returns: text of which everything from outside is escaped. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;
