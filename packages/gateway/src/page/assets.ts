import { createHash } from "node:crypto";
import { script } from "./script.ts";
import { style } from "./style.ts";

/** A mark of its own, for the tab. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#1d4fbf"/><path d="m7 12.4 3.4 3.4L17.2 9" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** A file of the page: it may be kept for good, since its address changes with it. */
export interface Asset {
  path: string;
  type: string;
  text: string;
}

function asset(name: string, type: string, text: string): Asset {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { path: `/${digest}-${name}`, type, text };
}

/** The files of the page, by what they are. */
export const assets: Readonly<Record<"style" | "script" | "icon", Asset>> = {
  style: asset("page.css", "text/css; charset=utf-8", style),
  script: asset("page.js", "text/javascript; charset=utf-8", script),
  icon: asset("icon.svg", "image/svg+xml", icon),
};
