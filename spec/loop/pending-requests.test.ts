/**
 * When unfinished requests are given up: with timers and the list of what is active in the test's hand.
 */
import { type HeldRequest, HeldRequests } from "../../src/loop/pending-requests.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("loop/pending-requests");

function setup(): {
  held: HeldRequests;
  active: { list: string[] | undefined };
  /** Fires the timer that is running; says whether there was one. */
  fire(): boolean;
  request(holdsData: boolean): HeldRequest & { ends: number };
} {
  let pending: (() => void) | undefined;
  const active: { list: string[] | undefined } = { list: ["ConnectWrap"] };
  const held = new HeldRequests(
    (_milliseconds, fire) => {
      assert.is(pending, undefined, "one timer at a time");
      pending = fire;
    },
    () => active.list,
  );
  return {
    held,
    active,
    fire() {
      const due = pending;
      pending = undefined;
      due?.();
      return due !== undefined;
    },
    request(holdsData) {
      const made = {
        holdsData,
        ends: 0,
        giveUp() {
          made.ends++;
          held.delete(made);
        },
      };
      return made;
    },
  };
}

it("has no timer while nothing is under way", () => {
  const { held, fire, request } = setup();
  assert.is(fire(), false);
  const connect = request(false);
  held.add(connect);
  held.delete(connect);
  assert.is(fire(), true);
  assert.is(fire(), false);
  held.add(connect);
  assert.is(fire(), true);
  assert.is(connect.ends, 1);
  assert.is(fire(), false);
});

it("respects whatever else is active", () => {
  const { held, active, fire, request } = setup();
  const connect = request(false);
  held.add(connect);
  for (const list of [
    ["ConnectWrap", "Timeout"],
    ["TCPSocketWrap"],
    ["ConnectWrap", "FSReqCallback"],
    ["ConnectWrap", "ConnectWrap", "SimpleWriteWrap"],
    [],
    undefined,
  ]) {
    active.list = list;
    assert.is(fire(), true);
    assert.is(connect.ends, 0, String(list));
  }
  active.list = ["TCPConnectWrap"];
  fire();
  assert.is(connect.ends, 1);
});

it("gives up a write only when somebody was asked, and nobody wants to wait", () => {
  const { held, active, fire, request } = setup();
  const write = request(true);
  active.list = ["SimpleWriteWrap", "SimpleShutdownWrap"];
  held.add(write);
  fire();
  assert.is(write.ends, 0);
  let waits = true;
  let asked = 0;
  const forget = held.onHeld(() => {
    asked++;
    return waits;
  });
  const forgetOther = held.onHeld(() => false);
  fire();
  assert.is(write.ends, 0);
  assert.is(asked, 1);
  forgetOther();
  waits = false;
  active.list = ["Timeout"];
  fire();
  assert.is(asked, 1, "nobody is asked while something else is active");
  active.list = ["SimpleWriteWrap"];
  fire();
  assert.is(write.ends, 1);
  forget();
  const other = request(true);
  held.add(other);
  fire();
  assert.is(other.ends, 0);
});

it.run();
