import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { UploadAccepted, UploadFinished, UploadForm } from "../../api/knowledge/Uploads.ts"
import { Config } from "../../Config.ts"
import { type Document, isSettled } from "../../domain/knowledge/Document.ts"
import { FILES_MAX_COUNT, Uploads } from "../../services/knowledge/Uploads.ts"
import { UploadWaits, waitOf } from "./UploadWait.ts"
import { ReceivedForms } from "../ReceivedForms.ts"

/** The handler of `POST /api/embedfiles`. */
export const uploadHandler = Effect.gen(function* () {
  const uploads = yield* Uploads
  const forms = yield* ReceivedForms
  const waits = yield* UploadWaits
  const limits = { fileSize: (yield* Config).uploads.fileLimit, files: FILES_MAX_COUNT }

  return HttpApiBuilder.handler(
    Api,
    "knowledge",
    "upload",
    Effect.fnUntraced(function* ({ payload, headers }) {
      // The received files are deleted, and the next upload may begin, before this one waits for its documents.
      const settled = yield* Effect.scoped(
        Effect.flatMap(forms.receive(UploadForm, payload, limits), ({ chatbotId, files }) =>
          uploads.upload(chatbotId, files),
        ),
      )
      const documents = yield* settled(waitOf(headers.prefer, waits))
      const body = { message: summary(documents), documents }
      return documents.every(isSettled) ? new UploadFinished(body) : new UploadAccepted(body)
    }),
  )
})

/** Sums up an upload, as in "4 files uploaded: 2 ready, 1 failed, 1 already there". */
const summary = (documents: ReadonlyArray<Document>): string => {
  const states = Map.groupBy(documents, (document) => {
    if (!isSettled(document)) return "being processed"
    return document.duplicate && document.status === "ready" ? "already there" : document.status
  })
  const order = ["ready", "failed", "being processed", "already there"] as const
  const counts = order.flatMap((state) => {
    const number = states.get(state)?.length ?? 0
    return number === 0 ? [] : [`${number} ${state}`]
  })
  return `${documents.length} ${documents.length === 1 ? "file" : "files"} uploaded: ${counts.join(", ")}`
}
