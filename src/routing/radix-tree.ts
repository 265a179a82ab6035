/**
 * Topics as a tree that is read octet by octet, with chains of single children folded into one node (a radix tree):
 * what the subscription trie and the topic set share. Looking up costs the length of the topic, however many others
 * there are.
 *
 * Labels are Latin-1 strings, one character an octet: V8 keeps them in one octet each, a `Buffer` would take a hundred
 * more.
 *
 * Rules
 * - A node other than the root holds a value or has at least two children.
 * - A node that holds a value is the same object until its value is cleared, whatever is added or removed around it.
 * - Children are in the order of their first octet.
 */

/**
 * V8 copies parts and joins of strings up to this length, and makes references to the originals, kept alive by it, of
 * longer ones.
 */
const REFERENCED_LENGTH = 12;

export class RadixNode<V> {
  label: string;
  parent: RadixNode<V> | undefined;
  children: RadixNode<V>[];
  /**
   * The first octets of the children's labels, for the search: the labels lie all over the memory, and take a sixth
   * longer (bench/micro/tunings.mjs).
   */
  firsts: string;
  value: V | undefined = undefined;

  constructor(label: string, parent: RadixNode<V> | undefined, children: RadixNode<V>[], firsts: string) {
    this.label = label;
    this.parent = parent;
    this.children = children;
    this.firsts = firsts;
  }
}

/** Most nodes are leaves: they share this, and get an array of their own with the first child. */
const NO_CHILDREN: RadixNode<never>[] = [];

function leafChildren<V>(): RadixNode<V>[] {
  return NO_CHILDREN as RadixNode<V>[];
}

/** The index of the child that starts with `octet`, or `~index` of where it belongs. */
function childIndex(firsts: string, octet: number): number {
  let low = 0;
  let high = firsts.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = firsts.charCodeAt(middle);
    if (found === octet) return middle;
    if (found < octet) low = middle + 1;
    else high = middle - 1;
  }
  return ~low;
}

/**
 * The child of `node` whose whole label stands in `octets` at `position`, undefined when there is none. The step of
 * every match.
 */
export function stepDown<V>(node: RadixNode<V>, octets: Uint8Array, position: number): RadixNode<V> | undefined {
  const index = childIndex(node.firsts, octets[position]);
  if (index < 0) return undefined;
  const child = node.children[index];
  const label = child.label;
  const length = label.length;
  if (position + length > octets.length) return undefined;
  for (let i = 1; i < length; i++) if (label.charCodeAt(i) !== octets[position + i]) return undefined;
  return child;
}

function latin1(octets: Uint8Array, start: number): string {
  return Buffer.from(octets.buffer, octets.byteOffset + start, octets.length - start).toString("latin1");
}

/**
 * A string that stands for itself. Parts and joins are made by reference, and followed at every look, until they are
 * copied.
 */
function flat(text: string): string {
  return text.length > REFERENCED_LENGTH ? Buffer.from(text, "latin1").toString("latin1") : text;
}

export class RadixTree<V> {
  readonly root: RadixNode<V> = new RadixNode<V>("", undefined, leafChildren(), "");

  /** The node of exactly this topic, undefined when there is none. It may hold no value. */
  find(topic: Uint8Array): RadixNode<V> | undefined {
    let node: RadixNode<V> | undefined = this.root;
    let position = 0;
    while (node !== undefined && position < topic.length) {
      node = stepDown(node, topic, position);
      if (node !== undefined) position += node.label.length;
    }
    return node;
  }

  /** The node of exactly this topic, made when there is none. The caller gives it a value at once. */
  insert(topic: Uint8Array): RadixNode<V> {
    let node = this.root;
    let position = 0;
    while (position < topic.length) {
      const index = childIndex(node.firsts, topic[position]);
      if (index < 0) return this.#addChild(node, ~index, latin1(topic, position));
      const child = node.children[index];
      const common = commonLength(child.label, topic, position);
      node = common === child.label.length ? child : this.#split(node, index, common);
      position += common;
    }
    return node;
  }

  /** Clears the value of a node and folds what is not needed any more. */
  clear(node: RadixNode<V>): void {
    node.value = undefined;
    const parent = node.parent;
    if (parent === undefined) return;
    if (node.children.length === 1) {
      this.#fold(node);
    } else if (node.children.length === 0) {
      this.#removeChild(parent, node);
      if (parent.children.length === 1 && parent.value === undefined && parent.parent !== undefined) this.#fold(parent);
    }
  }

  /** The topic that leads to a node. */
  topicOf(node: RadixNode<V>): Buffer {
    let topic = node.label;
    for (let above = node.parent; above !== undefined; above = above.parent) topic = above.label + topic;
    return Buffer.from(topic, "latin1");
  }

  /** Each topic that has a value, in the order of the octets; a prefix comes before what it is a prefix of. */
  *entries(): Generator<[topic: Buffer, value: V]> {
    const nodes: RadixNode<V>[] = [this.root];
    const prefixes: string[] = [""];
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      const prefix = prefixes.pop() + node.label;
      const children = node.children;
      for (let i = children.length - 1; i >= 0; i--) {
        nodes.push(children[i]);
        prefixes.push(prefix);
      }
      if (node.value !== undefined) yield [Buffer.from(prefix, "latin1"), node.value];
    }
  }

  #addChild(parent: RadixNode<V>, index: number, label: string): RadixNode<V> {
    const child = new RadixNode<V>(label, parent, leafChildren(), "");
    const firsts = parent.firsts;
    if (firsts === "") parent.children = [child];
    else parent.children.splice(index, 0, child);
    parent.firsts = flat(firsts.slice(0, index) + label[0] + firsts.slice(index));
    return child;
  }

  #removeChild(parent: RadixNode<V>, child: RadixNode<V>): void {
    const firsts = parent.firsts;
    const index = childIndex(firsts, child.label.charCodeAt(0));
    if (firsts.length === 1) parent.children = leafChildren();
    else parent.children.splice(index, 1);
    parent.firsts = flat(firsts.slice(0, index) + firsts.slice(index + 1));
    child.parent = undefined;
  }

  /**
   * Puts a node between `parent` and its child, which keeps only what is behind the first `length` octets of its label.
   */
  #split(parent: RadixNode<V>, index: number, length: number): RadixNode<V> {
    const child = parent.children[index];
    const label = child.label;
    const upper = new RadixNode<V>(flat(label.slice(0, length)), parent, [child], label[length]);
    child.label = flat(label.slice(length));
    child.parent = upper;
    parent.children[index] = upper;
    return upper;
  }

  /** Removes a node without value that has one child: the child's label grows to the left. */
  #fold(node: RadixNode<V>): void {
    const parent = node.parent!;
    const child = node.children[0];
    parent.children[childIndex(parent.firsts, node.label.charCodeAt(0))] = child;
    child.label = flat(node.label + child.label);
    child.parent = parent;
    node.parent = undefined;
    node.children = leafChildren();
    node.firsts = "";
  }
}

/** Counts the octets of `label` that stand in `topic` at `position`; the first one is known to. */
function commonLength(label: string, topic: Uint8Array, position: number): number {
  const limit = Math.min(label.length, topic.length - position);
  let length = 1;
  while (length < limit && label.charCodeAt(length) === topic[position + length]) length++;
  return length;
}
