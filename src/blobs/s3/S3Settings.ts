import { Context, type Duration } from "effect"
import type { Credentials } from "./Signature.ts"

/** Bounds of the requests to an S3 server. */
export interface S3Bounds {
  /** Time for which the store may be silent. Sending a file may take longer by a second for each 256 KiB. */
  readonly timeout: Duration.Input
  /** Time for which a failed request is tried again; an upload whose client waits should fail soon after. */
  readonly patience: Duration.Input
}

export const S3Bounds: Context.Reference<S3Bounds> = Context.Reference<S3Bounds>("parley/blobs/s3/S3Bounds", {
  defaultValue: () => ({ timeout: "10 seconds", patience: "10 seconds" }),
})

export interface S3Settings {
  /** The URL of the server, without a slash at its end. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  /** Whether the bucket's name is a part of the host's. */
  readonly style: "path" | "virtual"
  readonly credentials: Credentials
  /** The directory in whose subdirectory `tmp` files are kept while they are sent and read. */
  readonly directory: string
}
