import { attpFormat } from "./formats/attp.ts";
import { tamFormat } from "./formats/tam.ts";
import { toolsxmlFormat } from "./formats/toolsxml.ts";
import type { Format } from "./slip.ts";

/** The formats that this project reads. */
export const formats = [attpFormat, tamFormat, toolsxmlFormat] as unknown as readonly Format<unknown>[];
