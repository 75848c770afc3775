/**
 * The files that make a data directory a node's own: the mesh key and the admin token.
 *
 * A mesh is founded once, by the first node that finds no key: it draws a mesh id and a 32-byte key and writes both to
 * `mesh.key` as text, so that a person can read and copy them to the next host. All secrets have mode 0600.
 */

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "./message-of.ts";

export interface MeshIdentity {
  /** 16 hexadecimal digits; part of every cookie key, so that cookies of another mesh are unreadable here. */
  readonly meshId: string;
  /** 32 bytes; all cookie keys are derived from it. */
  readonly meshKey: Uint8Array;
}

export interface Identity extends MeshIdentity {
  readonly adminToken: string;
}

/** A data directory that cannot be used: what is wrong, and in `hint` what repairs it. */
export class DataDirectoryError extends Error {
  readonly code: string;
  readonly hint: string;
  constructor(code: string, message: string, options: { hint: string; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = "DataDirectoryError";
    this.code = code;
    this.hint = options.hint;
  }
}

const MESH_KEY_FILE = "mesh.key";
const TOKEN_FILE = "admin.token";
const SECRET_MODE = 0o600;
/** The bits of a file's mode by which group and others may do anything. */
const OTHERS = 0o077;

/** Founds a mesh in `directory`; refuses one that has a mesh already. */
export function initDataDirectory(directory: string): { meshId: string; files: readonly string[] } {
  if (existsSync(join(directory, MESH_KEY_FILE))) {
    throw new DataDirectoryError("already-initialised", `Cannot found a mesh in ${directory} as it has one already`, {
      hint: `start a node with "anteroom serve --data ${directory}", or name another directory`,
    });
  }
  const { meshId } = loadIdentity(directory);
  return { meshId, files: [MESH_KEY_FILE, TOKEN_FILE].map((file) => join(directory, file)) };
}

/** Reads the identity in `directory`, creating what is missing. Throws `DataDirectoryError`. */
export function loadIdentity(directory: string): Identity {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new DataDirectoryError("unwritable", `Cannot use ${directory} as data directory: ${messageOf(cause)}`, {
      hint: "name a directory that this user may write with --data, or start with --ephemeral",
      cause,
    });
  }
  const mesh = parseMeshKey(
    readOrCreate(join(directory, MESH_KEY_FILE), () => formatMeshKey(newMesh())),
    directory,
  );
  const tokenPath = join(directory, TOKEN_FILE);
  const adminToken = readOrCreate(tokenPath, () => `${newToken()}\n`).trim();
  if (adminToken === "") {
    throw new DataDirectoryError("empty-token", `Cannot take the admin token from ${tokenPath} as it is empty`, {
      hint: "remove the file: the next start makes a new token",
    });
  }
  return { ...mesh, adminToken };
}

/** The secret files of `directory` that others on the host can read. */
export function looseSecrets(directory: string): string[] {
  const paths = [MESH_KEY_FILE, TOKEN_FILE].map((file) => join(directory, file));
  return paths.filter((path) => (statSync(path).mode & OTHERS) !== 0);
}

/** An identity that lives as long as the process. */
export function ephemeralIdentity(): Identity {
  return { ...newMesh(), adminToken: newToken() };
}

function newMesh(): MeshIdentity {
  return { meshId: randomBytes(8).toString("hex"), meshKey: randomBytes(32) };
}

function newToken(): string {
  return randomBytes(24).toString("base64url");
}

function formatMeshKey({ meshId, meshKey }: MeshIdentity): string {
  return [
    "# anteroom mesh key: whoever has it can let visitors in. Copy it to each host of this mesh, mode 0600.",
    `id ${meshId}`,
    `key ${Buffer.from(meshKey).toString("hex")}`,
    "",
  ].join("\n");
}

function parseMeshKey(text: string, directory: string): MeshIdentity {
  const meshId = /^id ([0-9a-f]{16})$/m.exec(text)?.[1];
  const key = /^key ([0-9a-f]{64})$/m.exec(text)?.[1];
  if (meshId === undefined || key === undefined) {
    throw new DataDirectoryError("bad-mesh-key", `Cannot read ${join(directory, MESH_KEY_FILE)} as a mesh key`, {
      hint: "it must hold a line `id` with 16 and a line `key` with 64 hexadecimal digits: copy it from another host again",
    });
  }
  return { meshId, meshKey: Buffer.from(key, "hex") };
}

function readOrCreate(path: string, create: () => string): string {
  try {
    // `wx` fails where the file exists: two starts at once end with one key.
    writeFileSync(path, create(), { flag: "wx", mode: SECRET_MODE });
  } catch (cause) {
    if ((cause as { code?: string }).code !== "EEXIST") throw unreadable(path, cause);
  }
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): DataDirectoryError {
  return new DataDirectoryError("unreadable", `Cannot read or write ${path}: ${messageOf(cause)}`, {
    hint: "give the user that runs anteroom the rights to it",
    cause,
  });
}
