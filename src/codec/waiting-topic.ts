/** A subscription, or the end of one, that waits for a peer. */
export class WaitingTopic {
  readonly topic: Buffer;
  readonly subscribe: boolean;

  constructor(topic: Buffer, subscribe: boolean) {
    this.topic = topic;
    this.subscribe = subscribe;
  }
}
