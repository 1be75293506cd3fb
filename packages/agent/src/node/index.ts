/** For Node: sessions in files. */
export { fileSessions } from "./file-sessions.ts";
