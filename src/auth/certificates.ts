/**
 * Certificates as czmq and pyzmq write them: text files with the keys of one peer in Z85, and a name perhaps.
 *
 *     metadata
 *         name = "client-7"
 *     curve
 *         public-key = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
 *         secret-key = "…"
 */
import { readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import { errnoError, systemError } from "../base/errors.ts";
import { decodeZ85 } from "../codec/z85.ts";
import { KEY_BYTES } from "../crypto/crypto.ts";

/** CURVE keys of one peer, as czmq and pyzmq keep them in files. */
export interface Certificate {
  /** 40 characters of Z85. */
  readonly publicKey: string;
  /** Only in the files that a peer keeps to itself. */
  readonly secretKey: string | undefined;
  /** The entries under `metadata`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A certificate is some hundred octets; a larger file is something else, and not read. */
const CERTIFICATE_BYTES = 65536;

const LINE = /^(\s*)([A-Za-z0-9_./-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+)))?\s*(?:#.*)?$/;

/**
 * Reads a certificate's text.
 * @throws ErrnoError EINVAL when it has no public key, or something else in place of a key
 */
export function parseCertificate(text: string): Certificate {
  return parse(text, undefined);
}

function parse(text: string, file: string | undefined): Certificate {
  const curve: Record<string, string> = {};
  const metadata: Record<string, string> = {};
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    const found = LINE.exec(line);
    if (found === null || line.trimStart().startsWith("#")) continue;
    const [, indent, name, quoted, single, bare] = found;
    const value = quoted ?? single ?? bare;
    if (value === undefined) {
      if (indent === "") section = name;
    } else if (section === "curve") curve[name] = value;
    else if (section === "metadata") metadata[name] = value;
  }
  const { "public-key": publicKey, "secret-key": secretKey } = curve;
  if (publicKey === undefined) throw errnoError("EINVAL", file, "No public key in the certificate");
  for (const key of [publicKey, secretKey]) {
    if (key !== undefined && !isKey(key)) throw errnoError("EINVAL", file, "No key of 40 characters where one belongs");
  }
  return { publicKey, secretKey, metadata };
}

function isKey(text: string): boolean {
  try {
    return decodeZ85(text).length === KEY_BYTES;
  } catch {
    return false;
  }
}

/** Reads a certificate file. @throws ErrnoError ENOENT and other codes of the system, EINVAL; `address` is the file */
export function loadCertificate(file: string): Certificate {
  return parse(read(file), file);
}

/**
 * Reads a folder of public certificates, with its folders: user ids by public key, as `setKeys` takes them. The user id
 * is the certificate's `name`, or the file's name without its ending. It takes what czmq's store takes: files of any
 * name but those that end in `_secret` or begin with a dot. What cannot be read, or is no certificate, is passed over.
 * @throws ErrnoError ENOENT and other codes of the system for the folder itself; EINVAL when it has files and none is a
 *   certificate, and for one key in two files
 */
export function loadCertificates(folder: string): Record<string, string> {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw unreadable(error as NodeJS.ErrnoException, folder);
  }
  const store = new Store();
  store.addAll(folder, names);
  if (store.files > 0 && store.fileOf.size === 0) {
    throw errnoError("EINVAL", folder, `None of ${store.files} files is a public certificate`);
  }
  return store.users;
}

/** The certificates that were found so far. */
class Store {
  readonly users: Record<string, string> = {};
  readonly fileOf: Map<string, string> = new Map();
  files = 0;
  /** Links may lead to the same place twice, or round in a circle. */
  readonly #seen = new Set<string>();

  addAll(folder: string, names: string[]): void {
    for (const name of names.sort()) {
      const file = path.join(folder, name);
      const found = name.startsWith(".") ? undefined : attempt(() => statSync(file));
      if (found === undefined) continue;
      const isFolder = found.isDirectory();
      if (!isFolder) this.files++;
      if ((!isFolder && name.endsWith("_secret")) || this.#wasSeen(file)) continue;
      if (isFolder) this.addAll(file, attempt(() => readdirSync(file)) ?? []);
      else this.#add(file, found);
    }
  }

  #wasSeen(file: string): boolean {
    const real = attempt(() => realpathSync(file)) ?? file;
    if (this.#seen.has(real)) return true;
    this.#seen.add(real);
    return false;
  }

  #add(file: string, found: Stats): void {
    if (!found.isFile() || found.size > CERTIFICATE_BYTES) return;
    const certificate = attempt(() => loadCertificate(file));
    if (certificate === undefined) return;
    const { publicKey, metadata } = certificate;
    const other = this.fileOf.get(publicKey);
    if (other !== undefined) throw errnoError("EINVAL", file, `Its key is in ${other} too`);
    this.fileOf.set(publicKey, file);
    this.users[publicKey] = metadata.name ?? path.parse(file).name;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw unreadable(error as NodeJS.ErrnoException, file);
  }
}

/** In Node's words: libzmq's are about endpoints. */
function unreadable(error: NodeJS.ErrnoException, file: string): Error {
  return systemError(error, file, error.message);
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
