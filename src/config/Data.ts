import { resolve } from "node:path"
import { ofWorker } from "../system/Seat.ts"
import {
  BLOBS,
  BOOTSTRAP_API_KEY,
  DATA_DIR,
  DATABASE_CONNECTIONS,
  DATABASE_URL,
  S3_ACCESS_KEY_ID,
  S3_BUCKET,
  S3_ENDPOINT,
  S3_REGION,
  S3_SECRET_ACCESS_KEY,
  SECRETS_KEY,
} from "../system/Variables.ts"
import {
  apiKey,
  days,
  daysOrOff,
  duration,
  encryptionKeys,
  httpUrl,
  DAYS_MAX,
  integer,
  oneOf,
  postgresUrl,
  secret,
  text,
} from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const dataDir = text.or(DATA_DIR, "./data", "Directory of the embedded database, files and caches; mode 0700.")

/** The absolute path of a directory in the data directory. */
const below = (name: string) => dataDir.map((directory) => resolve(directory, name))

export const uploadsDirectory = below("uploads")
export const modelsDirectory = below("models")
export const webDirectory = below("cache/web")

const database = {
  directory: below("database"),
  url: postgresUrl.orAbsent(
    DATABASE_URL,
    "[Postgres 15 or later](operations.md#databases) with pgvector. Set it in production. Absent: the embedded database.",
  ),
  maxConnections: integer(2, 1_000)
    .or(
      DATABASE_CONNECTIONS,
      "16",
      "Maximum of connections of a server to Postgres, shared by its workers, each of which has one more. Raise it when requests wait for a connection. Keep the sum of all servers below `max_connections` of Postgres, as `doctor` checks.",
    )
    .map(ofWorker(2)),
}

const bootstrap = {
  apiKey: apiKey.orAbsent(
    BOOTSTRAP_API_KEY,
    "Key with all scopes of the first organization. Absent: the first start [generates one](keys-and-budgets.md).",
  ),
  keyFile: below("first-api-key"),
  linkFile: below("first-sign-in"),
}

const runningServer = {
  file: below("running.json"),
}

const secrets = {
  keys: encryptionKeys.orAbsent(
    SECRETS_KEY,
    "Encrypts [secrets](operations.md#secrets) in the database. The first key encrypts, all decrypt. Absent: not encrypted.",
  ),
}

const s3 = {
  endpoint: httpUrl.orAbsent(S3_ENDPOINT, "S3 server. Absent: that of Amazon in the region."),
  bucket: text.orAbsent(S3_BUCKET, `Existing bucket. Required with \`${BLOBS}=s3\`.`),
  region: text.or(S3_REGION, "us-east-1", "Region of the bucket."),
  style: oneOf("path", "virtual").or(
    "S3_STYLE",
    "path",
    "Place of the bucket in an address: `path` after the host, `virtual` before it.",
  ),
  accessKeyId: text.orAbsent(S3_ACCESS_KEY_ID, "Name of the access key."),
  secretAccessKey: secret.orAbsent(S3_SECRET_ACCESS_KEY, "Secret of the access key."),
}

const blobs = {
  kind: oneOf("local", "s3").or(
    BLOBS,
    "local",
    `[Store of files](files.md): \`local\` is a directory below \`${DATA_DIR}\`, \`s3\` a bucket. \`parley blobs copy\` moves files.`,
  ),
  directory: below("files"),
  s3,
}

const blobCheck = {
  orphanAge: duration.or(
    "ORPHAN_AGE",
    "24h",
    "Age at which a stored file without an owner is deleted. Raise it if older copies of the database may be restored.",
  ),
}

const audit = {
  retentionDays: days.or("AUDIT_RETENTION", "400", "Days for which the [audit log](privacy.md#audit-log) is kept."),
}

export const groundDays = integer(0, DAYS_MAX).or(
  "REPLY_GROUNDS_DAYS",
  "90",
  "Days for which is kept [what each reply rested on](answers.md#why-this-answer). 0 keeps only the question, and whether it shows a gap.",
)

const retention = {
  conversationDays: daysOrOff.or(
    "CONVERSATION_RETENTION",
    "off",
    "Days from a conversation's last activity to its deletion, unless its organization has [its own](privacy.md#retention).",
  ),
  groundDays,
}

export const data = {
  title: "Data",
  introduction: "",
  sections: { database, bootstrap, runningServer, secrets, blobs, blobCheck, audit, retention },
} satisfies Group
