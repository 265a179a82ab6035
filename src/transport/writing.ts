/**
 * Writing what a program may take away. Large bodies are not copied: the kernel takes them from where they lie, and as
 * long as it has not, the program may have transferred that memory, to a thread for instance, which may use it for
 * anything. The runtime goes on writing whatever stands there by then.
 *
 * So a large write is handed over in pieces, and nobody goes on, or ends in order, whose memory has gone meanwhile: the
 * write fails with ERR_ZMTP_BODY_DETACHED, and the connection with it, since a header with the size is out. What the
 * kernel takes of one piece while its memory is used by others can be seen only afterwards; so the last octets, which
 * make it a message, are a copy and a piece of their own.
 */
import { Socket as NetSocket } from "node:net";
import { ownCopy } from "../base/bytes.ts";
import { WRITE_PIECE_BYTES, WRITE_TAIL_BYTES } from "../base/constants.ts";
import { missingMemory } from "../base/errors.ts";

export type WriteCallback = (error?: Error | null) => void;

/** The chunks in the form of Node's `_writev`. */
export type Chunks = Parameters<NonNullable<NetSocket["_writev"]>>[0];

/** Writes one chunk, in place of the socket's own `_write`. */
export function writeOne(socket: NetSocket, chunk: Buffer, callback: WriteCallback): void {
  const { length } = chunk;
  if (length >= 2 * WRITE_PIECE_BYTES) new PieceByPiece(socket, [chunk], length, callback).goOn();
  else hand(socket, chunk, (error) => callback(chunk.length < length ? missingMemory() : error));
}

/** Writes several, in place of `_writev`. */
export function writeMany(socket: NetSocket, given: Chunks, callback: WriteCallback): void {
  const chunks = given.map(({ chunk }) => chunk as Buffer);
  const size = sizeOf(chunks);
  if (size >= 2 * WRITE_PIECE_BYTES) new PieceByPiece(socket, chunks, size, callback).goOn();
  else NetSocket.prototype._writev?.call(socket, given, (error) => callback(checked(chunks, size) ?? error));
}

/** The encoding that Node gives with octets, which none of its types knows. */
const NO_ENCODING = "buffer" as BufferEncoding;

class PieceByPiece {
  readonly #socket: NetSocket;
  readonly #chunks: readonly Buffer[];
  readonly #size: number;
  readonly #callback: WriteCallback;
  readonly #pieceBytes: number;
  /** The next octet: its chunk, and its offset there. */
  #index = 0;
  #offset = 0;
  #isCalling = false;
  #isTaken = false;

  constructor(socket: NetSocket, chunks: readonly Buffer[], size: number, callback: WriteCallback) {
    this.#socket = socket;
    this.#chunks = withOwnTail(chunks);
    this.#size = size;
    this.#callback = callback;
    // Alike in size, so that no tiny one is left at the end.
    this.#pieceBytes = Math.ceil(size / Math.floor(size / WRITE_PIECE_BYTES));
  }

  /** Hands over pieces for as long as the kernel takes each at once. */
  goOn(): void {
    do {
      const fault = checked(this.#chunks, this.#size);
      if (fault !== undefined || this.#index === this.#chunks.length || this.#socket.destroyed) {
        this.#callback(fault);
        return;
      }
      this.#isTaken = false;
      this.#isCalling = true;
      this.#hand(this.#nextPiece());
      this.#isCalling = false;
    } while (this.#isTaken);
  }

  readonly #written = (error?: Error | null): void => {
    // Memory that is not mapped any more is the kernel's EFAULT.
    if (error) this.#callback(checked(this.#chunks, this.#size) ?? error);
    else if (this.#isCalling) this.#isTaken = true;
    else this.goOn();
  };

  #hand(piece: Buffer[]): void {
    if (piece.length === 1) hand(this.#socket, piece[0], this.#written);
    else {
      const list: Chunks = piece.map((chunk) => ({ chunk, encoding: NO_ENCODING }));
      NetSocket.prototype._writev?.call(this.#socket, list, this.#written);
    }
  }

  #nextPiece(): Buffer[] {
    const last = this.#chunks.length - 1;
    if (this.#index === last) return [this.#chunks[this.#index++]];
    const piece: Buffer[] = [];
    for (let room = this.#pieceBytes; room > 0 && this.#index < last; ) {
      const chunk = this.#chunks[this.#index];
      const part = chunk.subarray(this.#offset, this.#offset + room);
      piece.push(part);
      room -= part.length;
      this.#offset += part.length;
      if (this.#offset < chunk.length) break;
      this.#index++;
      this.#offset = 0;
    }
    return piece;
  }
}

function hand(socket: NetSocket, chunk: Buffer, callback: WriteCallback): void {
  NetSocket.prototype._write.call(socket, chunk, NO_ENCODING, callback);
}

/** Copies the end of the last chunk to a short one that is nobody else's. */
function withOwnTail(chunks: readonly Buffer[]): Buffer[] {
  const last = chunks[chunks.length - 1];
  const at = last.length - WRITE_TAIL_BYTES;
  // So short a chunk was encoded here.
  if (at <= 0) return [...chunks];
  return [...chunks.slice(0, -1), last.subarray(0, at), ownCopy(last.subarray(at))];
}

/** Makes the error for chunks that are no longer of this size: their memory was taken away. */
function checked(chunks: readonly Buffer[], size: number): Error | undefined {
  return sizeOf(chunks) < size ? missingMemory() : undefined;
}

function sizeOf(chunks: readonly Buffer[]): number {
  let size = 0;
  for (let i = 0; i < chunks.length; i++) size += chunks[i].length;
  return size;
}
