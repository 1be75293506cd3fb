import { spawn } from "node:child_process";

/** The program that opens an address, without a shell: what an authorization server writes into it is never a command. */
const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens an https or http address in this machine's browser. Resolves with whether a program took it. */
export async function openBrowser(url: string): Promise<boolean> {
  const { protocol, href } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return false;
  // Without a display, `xdg-open` takes a browser in the terminal, which belongs to somebody else.
  if (process.platform === "linux" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return false;
  const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
  return await new Promise((resolve) => {
    const child = spawn(command, [...args, href], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
