import { resolve } from "node:path"
import {
  BLOBS,
  BOOTSTRAP_API_KEY,
  DATA_DIR,
  DATABASE_CONNECTIONS,
  DATABASE_URL,
  SECRETS_KEY,
} from "../system/Variables.ts"
import { apiKey, daysOrOff, duration, encryptionKeys, integer, oneOf, postgresUrl, text } from "./Kinds.ts"
import { s3 } from "./S3.ts"
import type { Group } from "./Setting.ts"

const dataDir = text.or(
  DATA_DIR,
  "./data",
  "Directory of everything that is not in Postgres: the embedded database and files; made with mode 0700. Relative paths start from the working directory.",
)

/** The absolute path of a directory in the data directory. */
const below = (name: string) => dataDir.map((directory) => resolve(directory, name))

export const uploadsDirectory = below("uploads").elsewhere
export const webDirectory = below("cache/web").elsewhere

const database = {
  directory: below("database"),
  url: postgresUrl.orAbsent(
    DATABASE_URL,
    "Postgres 15 or later with pgvector 0.7 or later; for production, and for several processes. Absent: the embedded database.",
  ),
  maxConnections: integer(2, 1_000).or(
    DATABASE_CONNECTIONS,
    "16",
    "Connections of a process to Postgres at once, at most; one more shows the others that it lives. Raise it when requests wait for a connection; all processes together have to stay below the `max_connections` of the database, which `doctor` adds up.",
  ),
}

const bootstrap = {
  apiKey: apiKey.orAbsent(
    BOOTSTRAP_API_KEY,
    "Key with all scopes of the first organization. Set it to choose the key. Absent: the first start generates one and prints it to a terminal, or else writes it to `first-api-key` in the data directory, a file with mode 0600. With it comes a link that signs in at the console, once and within an hour; the file is `first-sign-in`.",
  ),
  keyFile: below("first-api-key").elsewhere,
  linkFile: below("first-sign-in").elsewhere,
}

const running = {
  file: below("running.json").elsewhere,
}

const secrets = {
  keys: encryptionKeys.orAbsent(
    SECRETS_KEY,
    "Encrypts secrets in the database, such as the headers of HTTP tools and what signs the identity of visitors: a key of 32 bytes in base64, or several with commas between; the first encrypts, all decrypt. To replace a key, put the new one first and keep the old one until a start has encrypted everything anew. Absent: they are not encrypted.",
  ),
}

const blobs = {
  kind: oneOf("local", "s3").or(
    BLOBS,
    "local",
    `Where files are kept: \`local\` is a directory below \`${DATA_DIR}\`, \`s3\` a bucket of an S3 server. \`parley blobs copy\` moves them.`,
  ),
  directory: below("files").elsewhere,
  s3,
}

const blobCheck = {
  orphanAge: duration.or(
    "ORPHAN_AGE",
    "24h",
    "Age at which a stored file without an owner is deleted. Raise it when older copies of the database may be restored.",
  ),
}

const audit = {
  retentionDays: integer(1, 36_500).or(
    "AUDIT_RETENTION",
    "400",
    "Days for which the audit log is kept, with the addresses of clients in it.",
  ),
}

const retention = {
  conversationDays: daysOrOff.or(
    "CONVERSATION_RETENTION",
    "off",
    "Days after their last activity when conversations are deleted, unless their organization says otherwise. `off`: they are kept.",
  ),
}

export const data = {
  title: "Data",
  introduction: "What the server stores, where, and how long it waits for its database.",
  sections: { database, bootstrap, running, secrets, blobs, blobCheck, audit, retention },
} satisfies Group
