/**
 * CURVE as the options select it: encryption of everything, with keys that both sides prove. RFC 26 "CurveZMQ".
 *
 * A socket makes one factory and uses it for all its connections: the cryptographic library is loaded here, and what
 * belongs to the permanent keys is computed once.
 */

import { errnoError } from "../base/errors.ts";
import { KEY_BYTES } from "../crypto/crypto.ts";
import { CurveClient } from "./curve-client.ts";
import { type CurveTools, systemTools } from "./curve-handshake.ts";
import { CurveServer } from "./curve-server.ts";
import type { MechanismFactory } from "./mechanism.ts";

export { keyPair } from "../crypto/load.ts";

/** The options, 32 octets each. A server needs its secret key only, a client all three. */
export interface CurveOptions {
  readonly curveServer: boolean;
  readonly curvePublicKey: Buffer;
  readonly curveSecretKey: Buffer;
  readonly curveServerKey: Buffer;
}

/**
 * Makes the mechanism of a socket's connections.
 * @throws ErrnoError EINVAL when a key is missing.
 */
export function curveMechanism(options: CurveOptions, tools: CurveTools = systemTools()): MechanismFactory {
  const secretKey = checkedKey(options.curveSecretKey, "curveSecretKey");
  if (options.curveServer) {
    const own = { secretKey, publicKey: tools.crypto.publicKeyOf(secretKey) };
    return (host) => new CurveServer(host, own, tools);
  }
  const own = { secretKey, publicKey: checkedKey(options.curvePublicKey, "curvePublicKey") };
  const serverKey = checkedKey(options.curveServerKey, "curveServerKey");
  return (host) => new CurveClient(host, own, serverKey, tools);
}

function checkedKey(key: Buffer, name: string): Buffer {
  if (key.length !== KEY_BYTES) throw errnoError("EINVAL", undefined, `CURVE needs ${name}`);
  return key;
}
