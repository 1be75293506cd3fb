import type { Format } from "../slip.ts";
import { attpFormat } from "./attp.ts";
import { tamFormat } from "./tam.ts";
import { toolsxmlFormat } from "./toolsxml.ts";

/** The formats that this project reads. */
export const formats = [attpFormat, tamFormat, toolsxmlFormat] as unknown as readonly Format<unknown>[];
