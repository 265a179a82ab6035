/**
 * XPUB: a PUB that tells its application of subscriptions, as messages `01 topic` and `00 topic`, and hands over what
 * else peers send (RFC 29). Which ones are told depends on `verbosity`; with `manual` all are, and the application
 * makes the subscriptions itself.
 *
 * Subscriptions that wait to be received have no limit, as in libzmq; messages of peers are taken in only up
 * to the receive high-water mark, behind which their connections are not read.
 */
import { isMissing } from "../base/bytes.ts";
import { invalid } from "../base/errors.ts";
import { reportMissing } from "../base/events.ts";
import { Ring } from "../base/ring.ts";
import type { ReaderOptions, XPublisherOptions } from "../options/public.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import { limitOf, type Pipe } from "../pipe/pipe.ts";
import { Rotation } from "../routing/rotation.ts";
import { SubscriptionTrie } from "../routing/subscription-trie.ts";
import type { Newcomer } from "../session/socket-side.ts";
import { DuplexSocket } from "./duplex.ts";
import { discardAll } from "./pattern.ts";
import { PublisherPattern } from "./publisher.ts";
import { coreOf, defineType, type SocketOptions } from "./socket.ts";
import { isSubscription, SUBSCRIBE, setTopics, UNSUBSCRIBE } from "./topics.ts";

/** Something for the application, and whom it came from. */
interface Notice {
  readonly frames: Buffer[];
  readonly pipe: Pipe;
}

class XPublisherPattern extends PublisherPattern {
  readonly #notices = new Ring<Notice>();
  /** Peers whose messages wait behind the limit. */
  readonly #behind = new Rotation<Pipe>();
  /** With `manual`: what peers asked for, to be cancelled when they leave. */
  readonly #asked = new SubscriptionTrie<Pipe>();
  /** With `manualLastValue`: the only one who gets the next message. */
  #onlyNext: Pipe | undefined;

  override receive(): Buffer[] | undefined {
    for (;;) {
      const notice = this.#notices.shift();
      if (notice !== undefined) {
        if (isMissing(notice.frames)) {
          reportMissing(this.socket.events, notice.pipe.peer.address);
          continue;
        }
        this.last = notice.pipe;
        return notice.frames;
      }
      const pipe = this.#behind.next();
      if (pipe === undefined) return undefined;
      const frames = pipe.pull();
      if (pipe.waiting === 0) this.#behind.leave(pipe.receiving);
      if (frames !== undefined) this.#sort(pipe, frames);
    }
  }

  override get canReceive(): boolean {
    return this.#notices.length > 0 || this.#behind.peek() !== undefined;
  }

  override attach(pipe: Pipe): void {
    super.attach(pipe);
    const { welcomeMessage } = this.socket.options;
    if (welcomeMessage.length > 0) pipe.write([Buffer.from(welcomeMessage)]);
  }

  override deliver(pipe: Pipe, frames: Buffer[]): boolean {
    if (this.#notices.length >= limitOf(this.socket.options.receiveHighWaterMark)) return false;
    this.#sort(pipe, frames);
    return true;
  }

  override readable(pipe: Pipe): void {
    this.#behind.join(pipe.receiving);
    this.socket.wakeReceiver();
  }

  override subscription(pipe: Pipe, topic: Buffer, subscribe: boolean): void {
    if (this.#change(pipe, topic, subscribe)) this.#tell(pipe, topic, subscribe);
  }

  /** Keeps nothing for a newcomer with `manual`: the application chooses what a peer gets. */
  override expect(): Newcomer | undefined {
    return this.#isManual ? undefined : super.expect();
  }

  /** Does what the peer asked for, or with `manual` notes it. True: the application is to be told. */
  #change(pipe: Pipe, topic: Buffer, subscribe: boolean): boolean {
    if (this.#isManual) {
      if (subscribe) this.#asked.add(topic, pipe);
      else this.#asked.remove(topic, pipe);
      return true;
    }
    this.newcomers.subscribed(pipe);
    const { verbosity } = this.socket.options;
    const isNews = subscribe ? this.trie.add(topic, pipe) : this.trie.remove(topic, pipe) !== "remaining";
    return isNews || (subscribe ? verbosity !== null : verbosity === "allSubsUnsubs");
  }

  /** Subscribes the peer of the subscription that was received last, as the application of a manual XPUB wishes. */
  override setTopic(topic: Buffer, subscribe: boolean): void {
    const { manual, manualLastValue } = this.socket.options;
    const pipe = this.last;
    if (!(manual || manualLastValue)) throw invalid("an XPUB makes subscriptions itself unless manual is set");
    if (pipe === undefined) throw invalid("no subscription was received yet");
    if (pipe.isEnded) return;
    if (subscribe) this.trie.add(topic, pipe);
    else this.trie.remove(topic, pipe);
    if (manualLastValue) this.#onlyNext = pipe;
  }

  override ended(pipe: Pipe): void {
    const { verbosity } = this.socket.options;
    this.#asked.removeAll(pipe, (topic) => this.#tell(pipe, topic, false));
    this.trie.removeAll(pipe, (topic, isLast) => {
      if (!this.#isManual && (isLast || verbosity === "allSubsUnsubs")) this.#tell(pipe, topic, false);
    });
    super.ended(pipe);
    if (pipe.waiting === 0) this.#behind.leave(pipe.receiving);
    if (this.#onlyNext === pipe) this.#onlyNext = undefined;
  }

  override close(): void {
    super.close();
    this.#notices.clear();
    discardAll(this.#behind);
  }

  protected override match(frames: Uint8Array[], out: Pipe[]): number {
    const count = super.match(frames, out);
    const only = this.#onlyNext;
    if (only === undefined) return count;
    this.#onlyNext = undefined;
    const isWanted = out.indexOf(only) >= 0 && out.indexOf(only) < count;
    if (isWanted) out[0] = only;
    return isWanted ? 1 : 0;
  }

  get #isManual(): boolean {
    const { manual, manualLastValue } = this.socket.options;
    return manual || manualLastValue;
  }

  /**
   * Tells subscriptions apart from what is for the application. A message that does not begin with one stays whole: the
   * subscriptions in it are made, and seen in their place.
   */
  #sort(pipe: Pipe, frames: Buffer[]): void {
    const { onlyFirstSubscribe } = this.socket.options;
    const staysWhole = !isSubscription(frames[0]);
    const rest: Buffer[] = [];
    for (let i = 0; i < frames.length; i++) {
      const frame = frames[i];
      const isRest = !isSubscription(frame) || (i > 0 && onlyFirstSubscribe);
      if (isRest || staysWhole) rest.push(frame);
      if (isRest) continue;
      const topic = Buffer.from(frame.subarray(1));
      const isTold = this.#change(pipe, topic, frame[0] === SUBSCRIBE);
      if (isTold && !staysWhole) this.#tell(pipe, topic, frame[0] === SUBSCRIBE);
    }
    if (rest.length > 0) this.#add({ frames: rest, pipe });
  }

  #tell(pipe: Pipe, topic: Buffer, subscribe: boolean): void {
    const frame = Buffer.allocUnsafe(topic.length + 1);
    frame[0] = subscribe ? SUBSCRIBE : UNSUBSCRIBE;
    frame.set(topic, 1);
    this.#add({ frames: [frame], pipe });
  }

  #add(notice: Notice): void {
    this.#notices.push(notice);
    this.socket.wakeReceiver();
  }
}

export interface XPublisher extends XPublisherOptions, ReaderOptions {}

/** A {@link Publisher} that receives the subscriptions of its peers, as messages of an octet 1 or 0 and the topic. */
export class XPublisher extends DuplexSocket {
  constructor(options?: SocketOptions<XPublisher>) {
    super(SOCKET_TYPES.XPUB, options);
  }

  /**
   * With `manual`: subscribes the peer whose subscription was received last to topics of the application's choice
   * (ZMQ_SUBSCRIBE). @throws ErrnoError EINVAL when not manual, or before the first one was received
   */
  subscribe(...prefixes: (string | Buffer)[]): void {
    setTopics(coreOf(this), prefixes, true);
  }

  /** The reverse (ZMQ_UNSUBSCRIBE). */
  unsubscribe(...prefixes: (string | Buffer)[]): void {
    setTopics(coreOf(this), prefixes, false);
  }
}

defineType(XPublisher, SOCKET_TYPES.XPUB, (socket) => new XPublisherPattern(socket));
