/** Sets of IP addresses, given as addresses and networks ("10.0.0.0/8"). */
import { BlockList, isIP } from "node:net";
import { invalid } from "../base/errors.ts";

const BITS = { 4: 32, 6: 128 } as const;

/** A set of addresses. IPv4 addresses are found in their IPv6 form too. */
export class AddressList {
  readonly #list = new BlockList();

  /** @throws ErrnoError EINVAL for a range that is neither an address nor a network, or that has a zone */
  add(range: string): void {
    const [address, bits, ...more] = range.split("/");
    const family = isIP(address);
    if (
      family === 0 ||
      address.includes("%") ||
      more.length > 0 ||
      (bits !== undefined && !/^[0-9]{1,3}$/.test(bits))
    ) {
      throw invalid(`"${range}" is neither an IP address nor a network`, range);
    }
    const width = BITS[family as 4 | 6];
    const prefix = bits === undefined ? width : Number(bits);
    if (prefix > width) throw invalid(`${prefix} bits, where an address has ${width}`, range);
    this.#list.addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
  }

  /** True when an address is in the set, whatever its zone ("fe80::1%eth0"); text that is no IP address never is. */
  has(peer: string): boolean {
    const [address] = peer.split("%");
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 4 ? "ipv4" : "ipv6");
  }
}
