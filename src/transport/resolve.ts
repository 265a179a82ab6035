/**
 * From the names in an endpoint to IP addresses: interface names, host names, and which family an address is used in.
 *
 * Without the option `ipv6` there is only IPv4. With it a bound address is always an IPv6 one, an IPv4 address in its
 * mapped form (`::ffff:127.0.0.1`), as libzmq does it.
 */

import { lookup } from "node:dns";
import { readFileSync } from "node:fs";
import { isIP, isIPv4, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { FAILED_NAMES } from "../base/constants.ts";
import { queueMicrotask, setTimeout } from "../loop/clock.ts";
import type { HostPort } from "./endpoint.ts";

/** An IP address to bind or to connect to. */
export interface Resolved {
  readonly address: string;
  readonly family: 4 | 6;
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Reads a literal or `*`, without asking anybody; undefined for names, and for IPv6 where only IPv4 is wanted. */
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

/**
 * The forms in which an address is bound, the preferred one first: with `ipv6` the others are for machines without
 * IPv6.
 */
export function bindable(resolved: Resolved, ipv6: boolean): Resolved[] {
  if (!ipv6) return [resolved];
  if (resolved.family === 4) return [{ address: `::ffff:${resolved.address}`, family: 6 }, resolved];
  return resolved.address === "::" ? [resolved, { address: "0.0.0.0", family: 4 }] : [resolved];
}

/** True when the machine has the address, so that it can be bound. */
export function isOwn({ address }: Resolved): boolean {
  const plain = MAPPED.exec(address)?.[1] ?? address;
  if (plain === "0.0.0.0" || plain === "::" || plain.startsWith("127.")) return true;
  return Object.values(networkInterfaces()).some((list) =>
    list?.some((each) => each.address === plain.replace(/%.*/, "")),
  );
}

/** Finds `localhost`, or a name of the hosts file, at once. */
export function hostSync(host: string, ipv6: boolean): Resolved | undefined {
  const found = hostsSync(host, ipv6);
  return found.find((each) => each.family === 6) ?? found[0];
}

function hostsSync(host: string, ipv6: boolean): Resolved[] {
  const wanted = host.toLowerCase();
  const found: Resolved[] = [];
  for (const line of hostsFile().split("\n")) {
    const [address, ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
    const family = isIP(address);
    if ((family === 4 || (family === 6 && ipv6)) && names.includes(wanted)) found.push({ address, family });
  }
  if (wanted === LOCALHOST) found.push({ address: "127.0.0.1", family: 4 });
  return found;
}

function hostsFile(): string {
  try {
    return readFileSync("/etc/hosts", "utf8");
  } catch {
    return "";
  }
}

const LOCALHOST = "localhost";

/** Hears of at least one address, or of an error. */
type Answer = (error: Error | null, found: Resolved[]) => void;

/** A name that waits for its turn, or is looked up, and everybody who asked for it. */
interface LookUp {
  readonly host: string;
  readonly ipv6: boolean;
  readonly askers: Set<Answer>;
}

/** The system's resolver; in one place, where a test can take it away. */
export const internals: { lookup: typeof lookup } = { lookup };

const waiting: LookUp[] = [];
/** The one that is under way. */
let current: LookUp | undefined;
/** One is under way, or the next is about to begin. */
let isBusy = false;
/** Names that had no address when they were looked up last. */
const failed = new Set<string>();

/**
 * Asks the system's resolver, for one name after the other: it may take many seconds for a name that nobody knows, and
 * libuv lets such questions have no more than half of its threads, two of four, so that the program's own would wait
 * behind ours. Names that failed last come after the others. `answer` is called later, unless `cancel` was called
 * before.
 *
 * The resolver cannot be stopped, and the process does not end before it has answered; names that wait for their turn
 * keep nothing alive.
 */
export function resolve(host: string, ipv6: boolean, answer: Answer): { cancel(): void } {
  const isSame = (each: LookUp): boolean => each.host === host && each.ipv6 === ipv6;
  const isLocal = host.toLowerCase() === LOCALHOST;
  const known = isLocal ? undefined : [current, ...waiting].find((each) => each !== undefined && isSame(each));
  const lookUp = known ?? { host, ipv6, askers: new Set<Answer>() };
  lookUp.askers.add(answer);
  if (isLocal) {
    queueMicrotask(() => settle(lookUp, null, hostsSync(host, ipv6)));
  } else if (known === undefined) {
    waiting.push(lookUp);
    if (!isBusy) lookUpNext();
  }
  return { cancel: () => forget(lookUp, answer) };
}

function lookUpNext(): void {
  const index = waiting.findIndex(({ host }) => !failed.has(host));
  const [next] = waiting.splice(Math.max(index, 0), 1);
  isBusy = next !== undefined;
  if (next === undefined) return;
  current = next;
  const { host, ipv6 } = next;
  internals.lookup(host, { all: true, family: ipv6 ? 0 : 4 }, (error, addresses) => {
    current = undefined;
    // In a later turn, and by a timer that keeps nothing alive: a process that has nothing else to do ends.
    setTimeout(lookUpNext, 1).unref();
    const found = (addresses ?? []).map(({ address }): Resolved => ({ address, family: isIPv6(address) ? 6 : 4 }));
    failed.delete(host);
    if (found.length === 0) remember(host);
    settle(next, error ?? (found.length === 0 ? new Error("no address") : null), found);
  });
}

function settle({ askers }: LookUp, error: Error | null, found: Resolved[]): void {
  // Each has a list of its own.
  for (const answer of askers) answer(error, [...found]);
}

function forget(lookUp: LookUp, answer: Answer): void {
  lookUp.askers.delete(answer);
  const index = lookUp.askers.size === 0 ? waiting.indexOf(lookUp) : -1;
  if (index >= 0) waiting.splice(index, 1);
}

function remember(host: string): void {
  failed.add(host);
  // The oldest; a set keeps its order.
  if (failed.size > FAILED_NAMES) for (const oldest of failed) return void failed.delete(oldest);
}
