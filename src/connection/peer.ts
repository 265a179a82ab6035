/** What the handshake tells of a peer. */
import type { ProtocolVersion } from "../codec/greeting.ts";

export interface PeerInfo {
  /** 0 when it speaks no ZMTP at all. */
  readonly version: ProtocolVersion | 0;
  /** As the peer names itself; empty when it did not, as in 1.0. */
  readonly socketType: string;
  /** Empty is anonymous. */
  readonly identity: Buffer;
  /** READY's properties, and those that the ZAP handler added. */
  readonly properties: ReadonlyMap<string, Buffer>;
}
