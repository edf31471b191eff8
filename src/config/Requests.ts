import { uploadsDirectory, webDirectory } from "./Data.ts"
import { size } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const requests = {
  jsonBodyLimit: size.or(
    "JSON_BODY_LIMIT",
    "1MiB",
    "Largest JSON body. Raise it for clients that send long conversations.",
  ),
}

const uploads = {
  directory: uploadsDirectory,
  fileLimit: size.or(
    "UPLOAD_FILE_LIMIT",
    "25MiB",
    "Largest knowledge base file. A proxy in front has to let bodies of ten times this size through.",
  ),
}

export const requestsAndUploads = {
  title: "Requests and uploads",
  introduction: "The sizes of requests.",
  sections: { requests, uploads, web: { cache: webDirectory } },
} satisfies Group
