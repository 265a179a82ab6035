/**
 * What attacks are made of: raw connections to the victim, bounded in octets and in time.
 */

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { GREETING_BYTES, introduction } from "./wire.mjs";

/** Connections that one process tries to make at the same time. */
const CONNECTING_AT_ONCE = 200;

const MUCH_BYTES = 16 * 1024;

/** One attacking process. When its octets or its seconds are used up, nothing of it sends any more. */
export class Attacker {
  port;
  /** Which of the attacking processes this is, from 0. */
  number;
  octets = 0;
  connections = 0;
  /** Connections that the victim closed. */
  cut = 0;
  leaving = false;
  #mostOctets;
  #over = false;
  /** @type {Set<() => void>} */
  #waiting = new Set();
  /** @type {Set<Peer>} */
  #peers = new Set();

  /** @param {{ port: number, number: number, octets: number, seconds: number }} limits */
  constructor({ port, number, octets, seconds }) {
    this.port = port;
    this.number = number;
    this.#mostOctets = octets;
    setTimeout(() => this.stop(), seconds * 1000).unref();
  }

  get isOver() {
    return this.#over || this.octets >= this.#mostOctets;
  }

  /** What was done until now; octets that the kernel has not taken are not among those sent. */
  get account() {
    let queued = 0;
    for (const { socket } of this.#peers) queued += socket.writableLength;
    return { octets: this.octets - queued, connections: this.connections, cut: this.cut };
  }

  stop() {
    this.#over = true;
    for (const wake of this.#waiting) wake();
  }

  /** Ends the connections there are. */
  leave() {
    this.stop();
    this.leaving = true;
    for (const peer of this.#peers) peer.destroy();
  }

  /**
   * A connection that has sent `opening`, by default a handshake with `type`, and has seen the victim's greeting
   * when that is waited for.
   *
   * @param {{ type?: string, identity?: string, opening?: Buffer, waits?: boolean, reads?: boolean }} [settings]
   * @returns {Promise<Peer>}
   */
  async connect({ type = "PUSH", identity, opening = introduction(type, identity), waits = true, reads = true } = {}) {
    const peer = new Peer(this, connect({ host: "127.0.0.1", port: this.port, noDelay: true }));
    this.#peers.add(peer);
    peer.socket.on("close", () => this.#peers.delete(peer));
    this.connections++;
    await this.wait((wake) => peer.socket.once("connect", wake).once("close", wake));
    if (opening.length > 0) await peer.send(opening);
    if (waits) await this.wait((wake) => peer.whenReceived(GREETING_BYTES, wake));
    if (!reads) peer.socket.pause();
    return peer;
  }

  /**
   * Resolves when `begin` wakes it, or when all is over.
   *
   * @param {(wake: () => void) => void} begin
   * @returns {Promise<void>}
   */
  wait(begin) {
    return new Promise((resolve) => {
      if (this.isOver) return resolve();
      const wake = () => {
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
      begin(wake);
    });
  }

  /** @param {number} milliseconds */
  async pause(milliseconds) {
    if (!this.isOver) await this.wait((wake) => setTimeout(wake, milliseconds));
  }

  /** Until the seconds are used up. */
  async untilOver() {
    while (!this.isOver) await sleep(20);
  }

  /**
   * Does the same on many connections, some of them at once.
   *
   * @param {number} count
   * @param {(index: number) => Promise<unknown>} each
   * @param {number} [atOnce]
   */
  async many(count, each, atOnce = CONNECTING_AT_ONCE) {
    let next = 0;
    const work = async () => {
      while (next < count && !this.isOver) await each(next++);
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, count) }, work));
  }
}

/** One raw connection. */
export class Peer {
  socket;
  isClosed = false;
  #attacker;
  #received = 0;
  #ended = false;
  /** @type {(() => void) | undefined} */
  #wake;
  #enough = Infinity;

  /**
   * @param {Attacker} attacker
   * @param {import("node:net").Socket} socket
   */
  constructor(attacker, socket) {
    this.#attacker = attacker;
    this.socket = socket;
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      this.#received += chunk.length;
      if (this.#received < this.#enough) return;
      this.#enough = Infinity;
      this.#wake?.();
    });
    socket.on("drain", () => this.#wake?.());
    socket.on("close", () => {
      this.isClosed = true;
      if (!this.#ended && !attacker.leaving) attacker.cut++;
      this.#wake?.();
    });
  }

  /**
   * Calls back once so many octets have come in all, or the connection is gone.
   *
   * @param {number} count @param {() => void} wake
   */
  whenReceived(count, wake) {
    if (this.isClosed || this.#received >= count) return wake();
    this.#enough = count;
    this.#wake = wake;
  }

  /**
   * Writes, and waits while the victim does not take it.
   *
   * @param {Buffer} octets
   * @returns {Promise<boolean>} Whether there may be more.
   */
  async send(octets) {
    if (this.isClosed || this.#attacker.isOver) return false;
    this.#attacker.octets += octets.length;
    if (!this.socket.write(octets)) {
      await this.#attacker.wait((wake) => {
        this.#wake = wake;
        if (this.isClosed || !this.socket.writableNeedDrain) wake();
      });
    }
    // What the kernel takes at once comes back without a turn of the loop, in which timers could run.
    if (octets.length >= MUCH_BYTES) await new Promise(setImmediate);
    return !this.isClosed && !this.#attacker.isOver;
  }

  /**
   * Sends until nothing more may go.
   *
   * @param {(index: number) => Buffer} chunk
   */
  async flood(chunk) {
    for (let index = 0; await this.send(chunk(index)); index++) {}
  }

  /** Resolves once all that was sent is with the kernel and both ends are closed, at the latest after a second. */
  async end() {
    this.#ended = true;
    if (this.isClosed) return;
    const timer = setTimeout(() => this.destroy(), 1000);
    this.socket.end();
    await new Promise((resolve) => this.socket.once("close", resolve));
    clearTimeout(timer);
  }

  /** Ends with a reset in the place of a FIN. */
  reset() {
    this.#ended = true;
    this.socket.resetAndDestroy();
  }

  destroy() {
    this.#ended = true;
    this.socket.destroy();
  }
}
