import { ofWorker } from "../system/Seat.ts"
import { EXTRACT_SANDBOX, OCR_COMMAND, RENDERER_URL } from "../system/Variables.ts"
import { uploadsDirectory, webDirectory } from "./Data.ts"
import { duration, httpUrl, integer, oneOf, size, text } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const requests = {
  jsonBodyLimit: size.or("JSON_BODY_LIMIT", "1MiB", "Largest JSON body."),
}

const uploads = {
  directory: uploadsDirectory,
  fileLimit: size.or(
    "UPLOAD_FILE_LIMIT",
    "25MiB",
    "Largest document. A proxy in front has to accept bodies of ten times this size.",
  ),
}

const concurrency = integer(1, 64)
  .or("INGEST_CONCURRENCY", "2", "Documents that a server reads at once. Raise it on more than two cores.")
  .map(ofWorker(1))

const ingestion = { concurrency }

const extract = {
  concurrency: concurrency,
  deadline: duration.or(
    "EXTRACT_TIMEOUT",
    "30s",
    "Maximum of processor time for one file, and for each page of a scan. Raise it when files fail with `extraction_timed_out`.",
  ),
  memory: size.or(
    "EXTRACT_MEMORY",
    "512MiB",
    "Maximum of memory for one file, and for a page of a scan. Raise it when files fail with `extraction_out_of_memory`.",
  ),
  sandbox: oneOf("auto", "required", "off").or(
    EXTRACT_SANDBOX,
    "auto",
    "[Confinement](formats.md#isolation-of-readers) of the processes that read files. `auto`: the best available; `required`: no start unless network and other processes are hidden.",
  ),
  ocr: text.orAbsent(
    OCR_COMMAND,
    "[Command](formats.md#scans) that recognizes the text of scans, with the server's rights. Absent: `tesseract`, the installed one or that of the packages; `off`: scans are not read.",
  ),
}

const renderer = {
  url: httpUrl.orAbsent(
    RENDERER_URL,
    "Debugging address of the [Chromium](sources.md#pages-that-only-scripts-make) that renders pages which only scripts make, such as `http://chromium:9222`. Absent: such pages are not read.",
  ),
}

export const documents = {
  title: "Requests and documents",
  introduction: "",
  sections: { requests, uploads, web: { cache: webDirectory }, ingestion, extract, renderer },
} satisfies Group
