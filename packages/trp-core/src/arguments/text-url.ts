/**
 * Returns what a URL must not be when a server fetches it for a model: another scheme than http and https, one with a user name or
 * password, one of this host or a private network. Names are not looked up: the code that fetches has to check the address that
 * a name leads to. Undefined for a public http(s) URL.
 */
export function urlProblem(text: string): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return "is no absolute URL";
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must be an http or https URL";
  if (url.username !== "" || url.password !== "") return "has a user name or password in it: leave credentials out";
  const host = url.hostname.toLowerCase().replace(/\.$/, "");
  if (isPrivateName(host) || isPrivateV4(host) || isPrivateV6(host)) return "leads to a private address";
  return undefined;
}

function isPrivateName(host: string): boolean {
  return host === "localhost" || /\.(?:localhost|local|internal|intranet|lan|home\.arpa)$/.test(host);
}

/** Reads the four numbers of an address; the URL parser has written decimal, octal and hexadecimal addresses as four numbers. */
function isPrivateV4(host: string): boolean {
  const found = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host);
  if (found === null) return false;
  const [a = 0, b = 0, c = 0] = found.slice(1).map(Number);
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)))) ||
    (a === 198 && (b === 18 || b === 19))
  );
}

/** Anything but global unicast addresses, and what maps IPv4 addresses into IPv6. */
function isPrivateV6(host: string): boolean {
  if (!host.startsWith("[")) return false;
  const address = host.slice(1, -1);
  // 2000::/3 is where public addresses are; 2002::/16 and 64:ff9b::/96 carry an IPv4 address inside.
  return !/^[23][0-9a-f]{3}:/.test(address) || address.startsWith("2002:") || address.startsWith("2001:db8:");
}
