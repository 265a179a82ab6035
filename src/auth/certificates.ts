/**
 * Certificates as czmq and pyzmq write them: text files with the keys of one peer in Z85, and a name perhaps.
 *
 *     metadata
 *         name = "client-7"
 *     curve
 *         public-key = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
 *         secret-key = "…"
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { decodeZ85 } from "../codec/z85.ts";
import { KEY_BYTES } from "../crypto/crypto.ts";
import { errnoError, systemError } from "../errors.ts";

export interface Certificate {
  /** 40 characters of Z85. */
  readonly publicKey: string;
  /** Only in the files that a peer keeps to itself. */
  readonly secretKey: string | undefined;
  /** What stands under `metadata`. */
  readonly metadata: Readonly<Record<string, string>>;
}

const LINE = /^(\s*)([A-Za-z0-9_./-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+)))?\s*(?:#.*)?$/;

/** Reads a certificate's text. @throws ErrnoError EINVAL when it has no public key, or something else in place of a key */
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
 * Reads a folder of public certificates, the files that end in `.key`: user ids by public key, as `setKeys` takes them. The
 * user id is the certificate's `name`, or the file's name without its ending.
 * @throws ErrnoError ENOENT and other codes of the system, EINVAL
 */
export function loadCertificates(folder: string): Record<string, string> {
  const users: Record<string, string> = {};
  for (const file of list(folder)) {
    if (!file.endsWith(".key")) continue;
    const { publicKey, metadata } = loadCertificate(path.join(folder, file));
    users[publicKey] = metadata.name ?? path.basename(file, ".key");
  }
  return users;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw systemError(error as NodeJS.ErrnoException, file);
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    throw systemError(error as NodeJS.ErrnoException, folder);
  }
}
