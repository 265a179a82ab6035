/**
 * Two CURVE key pairs for benchmarks, the sample pairs of libzmq's manual: known to everyone, of use for nothing else.
 * c/common.h holds the same.
 */

const SERVER = {
  publicKey: "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7",
  secretKey: "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6",
};
const CLIENT = {
  publicKey: "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID",
  secretKey: "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs",
};

const CURVE_SERVER = { curveServer: true, curveSecretKey: SERVER.secretKey };

const CURVE_CLIENT = {
  curveServerKey: SERVER.publicKey,
  curvePublicKey: CLIENT.publicKey,
  curveSecretKey: CLIENT.secretKey,
};

/**
 * PLAIN needs somebody who looks at the password (RFC 27, ZAP): lets everyone in.
 *
 * @param {any} zmq
 */
export async function letEveryoneIn(zmq) {
  const handler = new zmq.Reply();
  await handler.bind("inproc://zeromq.zap.01");
  const serve = async () => {
    for await (const [version, id] of handler) await handler.send([version, id, "200", "OK", "bench", ""]);
  };
  serve();
}

/**
 * A socket's options for `curve=1` or `plain=1`.
 *
 * @param {{ curve?: string, plain?: string }} pairs
 * @param {"server" | "client"} side
 * @returns {object}
 */
export function securityOptions({ curve, plain }, side) {
  if (curve) return side === "server" ? CURVE_SERVER : CURVE_CLIENT;
  if (plain) return side === "server" ? { plainServer: true } : { plainUsername: "bench", plainPassword: "bench" };
  return {};
}
