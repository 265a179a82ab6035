/**
 * The common part of SUB and XSUB: the topics, and the publishers that are told of them in the order of the calls.
 *
 * A publisher is told the whole set when its pipe is made, and after a loss the set as it stood then; what changes
 * before it is there waits in its pipe, in its place among the messages. Nothing is merged: the publisher sees all that
 * was said.
 */
import { WAITING_TOPICS } from "../base/constants.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { TopicSet } from "../routing/topic-set.ts";
import { ReceivingPattern } from "./pattern.ts";

export abstract class SubscribingPattern extends ReceivingPattern {
  override readonly refills: boolean = true;
  protected readonly topics: TopicSet = new TopicSet();
  protected readonly pipes: Set<Pipe> = new Set();

  override get topicsCount(): number {
    return this.topics.size;
  }

  override attach(pipe: Pipe): void {
    this.pipes.add(pipe);
    this.#tellAll(pipe);
  }

  override disconnected(pipe: Pipe): void {
    if (pipe.isOutgoing && !pipe.isEnded) this.#tellAll(pipe);
  }

  override ended(pipe: Pipe): void {
    this.pipes.delete(pipe);
    super.ended(pipe);
  }

  /** Tells every publisher of a change, which the set has already. */
  protected tell(topic: Buffer, subscribe: boolean): void {
    for (const pipe of this.pipes) {
      if (pipe.waitingTopics < Math.max(WAITING_TOPICS, 2 * this.topics.size)) {
        pipe.subscribe(topic, subscribe);
      } else {
        pipe.dropTopics();
        this.#tellAll(pipe);
      }
    }
  }

  #tellAll(pipe: Pipe): void {
    for (const topic of this.topics) pipe.subscribe(topic, true);
  }
}
