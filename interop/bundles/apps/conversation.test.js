/** Jest loads each module anew in a context of its own, for each file and after each resetModules(). */
const { conversation, EXPECTED } = require("./conversation.cjs");

beforeEach(() => jest.resetModules());

test("a conversation", async () => {
  expect(await conversation()).toBe(EXPECTED);
});

test.each([1, 2, 3])("a conversation with a fresh library (%i)", async () => {
  const fresh = require("./conversation.cjs");
  expect(fresh.conversation).not.toBe(conversation);
  expect(await fresh.conversation()).toBe(EXPECTED);
});

test("two libraries talk over tcp", async () => {
  const one = require("zmtp");
  jest.resetModules();
  const other = require("zmtp");
  expect(other.Push).not.toBe(one.Push);
  const pull = new one.Pull();
  await pull.bind("tcp://127.0.0.1:*");
  const push = new other.Push();
  push.connect(pull.lastEndpoint);
  await push.send(new Uint8Array([1, 2, 3]));
  const [body] = await pull.receive();
  expect(Buffer.isBuffer(body)).toBe(true);
  expect([...body]).toEqual([1, 2, 3]);
  push.close();
  pull.close();
});

test("errors are errors of this realm's making", async () => {
  const zmq = require("zmtp");
  const push = new zmq.Push();
  await expect(push.bind("tcp://nowhere")).rejects.toThrow();
  expect(() => push.connect("nothing")).toThrow(expect.objectContaining({ code: "EINVAL" }));
  expect(() => push.send()).toThrow();
  push.close();
});

test("sockets that a test forgets do not keep Jest up", () => {
  const zmq = require("zmtp");
  const pull = new zmq.Pull();
  pull.bindSync("tcp://127.0.0.1:*");
  new zmq.Push().connect(pull.lastEndpoint);
});
