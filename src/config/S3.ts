import {
  BLOBS,
  S3_ACCESS_KEY_ID,
  S3_BUCKET,
  S3_ENDPOINT,
  S3_REGION,
  S3_SECRET_ACCESS_KEY,
  S3_SESSION_TOKEN,
} from "../system/Variables.ts"
import { httpUrl, oneOf, partSize, positiveDuration, secret, text } from "./Kinds.ts"

const AWS_REGION = "AWS_REGION"

/** The settings of an S3 store, which stand beside `BLOBS` in the group of data. */
export const s3 = {
  endpoint: httpUrl.orAbsent(S3_ENDPOINT, "URL of the S3 server. Absent: that of Amazon in the region."),
  bucket: text.orAbsent(S3_BUCKET, `Bucket of the files, which has to exist. Required with \`${BLOBS}=s3\`.`),
  region: text.orAbsent(S3_REGION, `Region of the bucket. Absent: that of \`${AWS_REGION}\`, or else \`us-east-1\`.`),
  style: oneOf("path", "virtual").or(
    "S3_STYLE",
    "path",
    "Where the bucket stands in an address: `path` after the host, as every server understands it, `virtual` before the host.",
  ),
  accessKeyId: text.orAbsent(
    S3_ACCESS_KEY_ID,
    "Name of the access key. Absent: the variables below whose names begin with `AWS` are used.",
  ),
  secretAccessKey: secret.orAbsent(S3_SECRET_ACCESS_KEY, "Secret of the access key."),
  sessionToken: secret.orAbsent(S3_SESSION_TOKEN, "Token of an access key that is temporary."),
  timeout: positiveDuration.or(
    "S3_TIMEOUT",
    "10s",
    "How long the S3 server may be silent in a request. Sending a file may take longer by a second for each 256 KiB.",
  ),
  patience: positiveDuration.or(
    "S3_PATIENCE",
    "10s",
    "How long a request that the S3 server refuses or cuts off is tried again. Then it fails with 503.",
  ),
  partSize: partSize.or("S3_PART_SIZE", "16MiB", "Larger files are sent in parts of this size."),
  aws: {
    region: text.orAbsent(AWS_REGION, `Used when \`${S3_REGION}\` is absent.`),
    accessKeyId: text.orAbsent("AWS_ACCESS_KEY_ID", `Used when \`${S3_ACCESS_KEY_ID}\` is absent, with the two below.`),
    secretAccessKey: secret.orAbsent("AWS_SECRET_ACCESS_KEY", "The secret of that access key."),
    sessionToken: secret.orAbsent("AWS_SESSION_TOKEN", "The token of that access key, if it is temporary."),
  },
}
