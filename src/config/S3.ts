import {
  BLOBS,
  S3_ACCESS_KEY_ID,
  S3_BUCKET,
  S3_ENDPOINT,
  S3_REGION,
  S3_SECRET_ACCESS_KEY,
} from "../system/Variables.ts"
import { httpUrl, oneOf, secret, text } from "./Kinds.ts"

/** The settings of an S3 store, which stand beside `BLOBS` in the group of data. */
export const s3 = {
  endpoint: httpUrl.orAbsent(S3_ENDPOINT, "URL of the S3 server. Absent: that of Amazon in the region."),
  bucket: text.orAbsent(S3_BUCKET, `Bucket of the files, which has to exist. Required with \`${BLOBS}=s3\`.`),
  region: text.or(S3_REGION, "us-east-1", "Region of the bucket."),
  style: oneOf("path", "virtual").or(
    "S3_STYLE",
    "path",
    "Where the bucket stands in an address: `path` after the host, as every server understands it, `virtual` before the host.",
  ),
  accessKeyId: text.orAbsent(S3_ACCESS_KEY_ID, "Name of the access key."),
  secretAccessKey: secret.orAbsent(S3_SECRET_ACCESS_KEY, "Secret of the access key."),
}
