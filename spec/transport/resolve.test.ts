/**
 * From names to addresses.
 */
import { networkInterfaces } from "node:os";
import { type EndpointUse, parseEndpoint, type TcpEndpoint } from "../../src/transport/endpoint.ts";
import {
  bindable,
  hostSync,
  interfaceAddress,
  isOwn,
  literal,
  type Resolved,
  resolve,
} from "../../src/transport/resolve.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("transport/resolve");

function hostOf(host: string, use: EndpointUse = "bind"): TcpEndpoint {
  return parseEndpoint(`tcp://${host}:1`, use) as TcpEndpoint;
}

function show(resolved: Resolved | undefined): string {
  return resolved === undefined ? "-" : `${resolved.family} ${resolved.address}`;
}

it("literals and the wildcard stand for themselves, in the family that is wanted", () => {
  for (const [host, without, withIpv6] of [
    ["*", "4 0.0.0.0", "6 ::"],
    ["0.0.0.0", "4 0.0.0.0", "4 0.0.0.0"],
    ["127.0.0.1", "4 127.0.0.1", "4 127.0.0.1"],
    ["[::1]", "-", "6 ::1"],
    ["[fe80::1%lo]", "-", "6 fe80::1%lo"],
    ["[::ffff:10.1.2.3]", "4 10.1.2.3", "4 10.1.2.3"],
    ["[::FFFF:10.1.2.3]", "4 10.1.2.3", "4 10.1.2.3"],
    ["localhost", "-", "-"],
  ]) {
    assert.is(show(literal(hostOf(host), false)), without, host);
    assert.is(show(literal(hostOf(host), true)), withIpv6, host);
  }
});

it("with ipv6 IPv4 addresses are bound in their mapped form, or plainly where there is no IPv6", () => {
  const four: Resolved = { address: "10.1.2.3", family: 4 };
  assert.equal(bindable(four, false), [four]);
  assert.equal(bindable(four, true), [{ address: "::ffff:10.1.2.3", family: 6 }, four]);
  assert.equal(bindable({ address: "::1", family: 6 }, true).map(show), ["6 ::1"]);
  assert.equal(bindable({ address: "::", family: 6 }, true).map(show), ["6 ::", "4 0.0.0.0"]);
});

it("interfaces have the addresses that the system gives them", () => {
  for (const [name, list = []] of Object.entries(networkInterfaces())) {
    const four = list.find(({ address }) => !address.includes(":"));
    assert.is(interfaceAddress(name, false)?.address, four?.address, name);
    const found = interfaceAddress(name, true);
    assert.ok(list.some(({ address }) => address === found?.address.replace(/%.*/, "")));
    if (found?.address.startsWith("fe80:")) assert.match(found.address, new RegExp(`%${name}$`));
  }
  assert.is(interfaceAddress("no-such-nic", true), undefined);
  assert.is(interfaceAddress("constructor", true), undefined);
});

it("knows which addresses can be bound here", () => {
  for (const address of ["127.0.0.1", "127.9.9.9", "0.0.0.0", "::", "::ffff:127.0.0.1"]) {
    assert.is(isOwn({ address, family: 4 }), true, address);
  }
  for (const address of ["203.0.113.7", "2001:db8::7", "::ffff:203.0.113.7"]) {
    assert.is(isOwn({ address, family: 4 }), false, address);
  }
  for (const list of Object.values(networkInterfaces())) {
    for (const { address } of list ?? []) assert.is(isOwn({ address, family: 4 }), true, address);
  }
});

it("the hosts file is read at once", () => {
  assert.is(show(hostSync("localhost", false)), "4 127.0.0.1");
  assert.match(show(hostSync("LOCALHOST", true)), /^(6 ::1|4 127\.0\.0\.1)$/);
  assert.is(hostSync("does-not-exist.invalid", true), undefined);
  assert.is(hostSync("", true), undefined);
  assert.is(hostSync("127.0.0.1", true), undefined);
});

it("the resolver is asked for the families that are wanted", async () => {
  const ask = (host: string, ipv6: boolean): Promise<Resolved[] | Error> =>
    new Promise((fulfil) => resolve(host, ipv6, (error, found) => fulfil(error ?? found)));
  const four = (await ask("localhost", false)) as Resolved[];
  assert.ok(four.length > 0 && four.every(({ family }) => family === 4));
  assert.ok(((await ask("localhost", true)) as Resolved[]).length > 0);
  assert.instance(await ask("does-not-exist.invalid", true), Error);
});

it.run();
