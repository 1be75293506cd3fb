/** What needs Node: resources from files. */
export { type FileResourceOptions, famResolver, fileResolver } from "./file-resources.ts";
