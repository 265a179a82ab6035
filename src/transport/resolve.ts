/**
 * From the names in an endpoint to IP addresses: interface names, host names, and which family an address is used in.
 *
 * Without the option `ipv6` there is only IPv4. With it a bound address is always an IPv6 one, an IPv4 address in its mapped form
 * (`::ffff:127.0.0.1`), as libzmq does it.
 */

import { lookup } from "node:dns";
import { readFileSync } from "node:fs";
import { isIP, isIPv4, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import type { HostPort } from "./endpoint.ts";

/** An IP address to bind or to connect to. */
export interface Resolved {
  readonly address: string;
  readonly family: 4 | 6;
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** What a literal or `*` stands for, without asking anybody; undefined for names, and for IPv6 where only IPv4 is wanted. */
export function literal(host: HostPort, ipv6: boolean): Resolved | undefined {
  if (host.host === "*") return ipv6 ? { address: "::", family: 6 } : { address: "0.0.0.0", family: 4 };
  if (host.family === 4) return { address: host.host, family: 4 };
  if (host.family === 0) return undefined;
  const plain = MAPPED.exec(host.host)?.[1];
  if (plain !== undefined) return { address: plain, family: 4 };
  return ipv6 ? { address: host.host, family: 6 } : undefined;
}

/** The first address of the network interface `name`: its IPv4 one, with `ipv6` rather its IPv6 one. */
export function interfaceAddress(name: string, ipv6: boolean): Resolved | undefined {
  const interfaces = networkInterfaces();
  const addresses = Object.hasOwn(interfaces, name) ? interfaces[name] : undefined;
  if (addresses === undefined) return undefined;
  const six = ipv6 ? addresses.find(({ address }) => isIPv6(address)) : undefined;
  if (six !== undefined) return { address: six.scopeid ? `${six.address}%${name}` : six.address, family: 6 };
  const four = addresses.find(({ address }) => isIPv4(address));
  return four === undefined ? undefined : { address: four.address, family: 4 };
}

/** The forms in which an address is bound, the preferred one first: with `ipv6` the others are for machines without IPv6. */
export function bindable(resolved: Resolved, ipv6: boolean): Resolved[] {
  if (!ipv6) return [resolved];
  if (resolved.family === 4) return [{ address: `::ffff:${resolved.address}`, family: 6 }, resolved];
  return resolved.address === "::" ? [resolved, { address: "0.0.0.0", family: 4 }] : [resolved];
}

/** Whether the machine has the address, so that it can be bound. */
export function isOwn({ address }: Resolved): boolean {
  const plain = MAPPED.exec(address)?.[1] ?? address;
  if (plain === "0.0.0.0" || plain === "::" || plain.startsWith("127.")) return true;
  return Object.values(networkInterfaces()).some((list) =>
    list?.some((each) => each.address === plain.replace(/%.*/, "")),
  );
}

/** `localhost`, or what the hosts file says; at once. */
export function hostSync(host: string, ipv6: boolean): Resolved | undefined {
  const wanted = host.toLowerCase();
  const found: Resolved[] = [];
  for (const line of hostsFile().split("\n")) {
    const [address, ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
    const family = isIP(address);
    if ((family === 4 || (family === 6 && ipv6)) && names.includes(wanted)) found.push({ address, family });
  }
  if (wanted === "localhost") found.push({ address: "127.0.0.1", family: 4 });
  return found.find((each) => each.family === 6) ?? found[0];
}

function hostsFile(): string {
  try {
    return readFileSync("/etc/hosts", "utf8");
  } catch {
    return "";
  }
}

/**
 * Asks the system's resolver. `answer` is called later with at least one address, or with an error.
 * The resolver cannot be stopped, and the process does not end before it has answered.
 */
export function resolve(host: string, ipv6: boolean, answer: (error: Error | null, found: Resolved[]) => void): void {
  lookup(host, { all: true, family: ipv6 ? 0 : 4 }, (error, addresses) => {
    if (error !== null) return answer(error, []);
    const found = addresses.map(({ address }): Resolved => ({ address, family: isIPv6(address) ? 6 : 4 }));
    answer(found.length === 0 ? new Error("no address") : null, found);
  });
}
