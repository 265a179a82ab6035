/** The rotation and the route table as plain arrays and maps. */

export class RotationList<P> {
  /** The first one is next. */
  #members: P[] = [];

  has(pipe: P): boolean {
    return this.#members.includes(pipe);
  }

  join(pipe: P): void {
    if (!this.has(pipe)) this.#members.push(pipe);
  }

  leave(pipe: P): void {
    this.#members = this.#members.filter((one) => one !== pipe);
  }

  peek(): P | undefined {
    return this.#members[0];
  }

  next(): P | undefined {
    const pipe = this.#members.shift();
    if (pipe !== undefined) this.#members.push(pipe);
    return pipe;
  }
}

export class RouteMap<P> {
  readonly #routes = new Map<string, P>();

  get size(): number {
    return this.#routes.size;
  }

  get(id: Buffer): P | undefined {
    return this.#routes.get(id.toString("hex"));
  }

  add(id: Buffer, pipe: P): boolean {
    if (this.get(id) !== undefined) return false;
    this.#routes.set(id.toString("hex"), pipe);
    return true;
  }

  remove(id: Buffer, pipe: P): boolean {
    if (this.get(id) !== pipe) return false;
    return this.#routes.delete(id.toString("hex"));
  }

  values(): P[] {
    return [...this.#routes.values()];
  }
}
