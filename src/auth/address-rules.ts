/**
 * Which addresses may come in. Who is on the list of the denied may not; when there is a list of the allowed, nobody
 * else may.
 */
import { AddressList } from "../transport/address-list.ts";

export class AddressRules {
  #allowed: AddressList | undefined;
  #denied = new AddressList();

  allow(ranges: readonly string[]): void {
    check(ranges);
    this.#allowed ??= new AddressList();
    for (const range of ranges) this.#allowed.add(range);
  }

  deny(ranges: readonly string[]): void {
    check(ranges);
    for (const range of ranges) this.#denied.add(range);
  }

  clear(): void {
    this.#allowed = undefined;
    this.#denied = new AddressList();
  }

  admit(address: string): boolean {
    return !this.#denied.has(address) && (this.#allowed === undefined || this.#allowed.has(address));
  }
}

/** A list with a fault in it changes nothing. @throws ErrnoError EINVAL */
function check(ranges: readonly string[]): void {
  const scratch = new AddressList();
  for (const range of ranges) scratch.add(range);
}
