import { Effect, type FileSystem, Layer, type Path, type Redacted } from "effect"
import type { SecureRandom } from "effect/crypto"
import { BLOBS, S3_ACCESS_KEY_ID, S3_BUCKET, S3_SECRET_ACCESS_KEY } from "../system/Variables.ts"
import { StartupError } from "../system/StartupError.ts"
import type { BlobStore } from "./BlobStore.ts"
import * as LocalBlobStore from "./LocalBlobStore.ts"
import * as S3BlobStore from "./s3/S3BlobStore.ts"
import type { S3Settings } from "./s3/S3Settings.ts"

export interface BlobStoreSettings {
  readonly kind: "local" | "s3"
  /** The directory of the local store, and of the temporary files of the other. */
  readonly directory: string
  readonly s3: Pick<S3Settings, "region" | "style"> & {
    /** URL of the server; undefined for that of Amazon in the region. */
    readonly endpoint: string | undefined
    readonly bucket: string | undefined
    readonly accessKeyId: string | undefined
    readonly secretAccessKey: Redacted.Redacted | undefined
  }
}

/** Provides the store of the settings. */
export const layer = (
  settings: BlobStoreSettings,
): Layer.Layer<BlobStore, StartupError, FileSystem.FileSystem | Path.Path | SecureRandom.SecureRandom> =>
  settings.kind === "local"
    ? LocalBlobStore.layer(settings)
    : Layer.unwrap(Effect.map(completed(settings), S3BlobStore.layer))

/** Completes the settings of an S3 store. Fails when a part is missing. */
const completed = Effect.fnUntraced(function* ({
  directory,
  s3,
}: BlobStoreSettings): Effect.fn.Return<S3Settings, StartupError> {
  const { accessKeyId, bucket, region, secretAccessKey, style } = s3
  const { endpoint = `https://s3.${region}.amazonaws.com` } = s3
  if (bucket === undefined) return yield* missing(S3_BUCKET)
  if (accessKeyId === undefined) return yield* missing(S3_ACCESS_KEY_ID)
  if (secretAccessKey === undefined) return yield* missing(S3_SECRET_ACCESS_KEY)
  return { directory, bucket, region, style, endpoint, credentials: { accessKeyId, secretAccessKey } }
})

const missing = (variable: string) =>
  new StartupError({
    what: `Files are kept in S3, but ${variable} is not set.`,
    doThis: `Set it, or set ${BLOBS} to local.`,
  })
