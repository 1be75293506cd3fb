import type { BodyReader } from "../scan/parts.ts";
import { readTag } from "./argument-tag.ts";
import { tagsWith } from "./tags.ts";

/** As `tagsBody`, and keys may stand in elements of their own. */
export const attributesBody: BodyReader = /* @__PURE__ */ tagsWith({ readTag });
