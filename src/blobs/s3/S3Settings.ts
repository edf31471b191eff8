import type { Duration } from "effect"
import type { Credentials } from "./Signature.ts"

export interface S3Settings {
  /** The URL of the server, without a slash at its end. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  /** Whether the bucket's name is a part of the host's. */
  readonly style: "path" | "virtual"
  readonly credentials: Credentials
  /** How long the store may be silent. */
  readonly timeout: Duration.Duration
  /** How long a failed request is tried again. */
  readonly patience: Duration.Duration
  /** The bytes above which a file is sent in parts, and of each part but the last. */
  readonly partSize: number
  /** The directory in whose subdirectory `tmp` files are kept while they are sent and read. */
  readonly directory: string
}
