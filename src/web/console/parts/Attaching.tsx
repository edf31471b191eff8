import { useMemo } from "preact/hooks"
import { Uploads } from "../../shared/Attachments.tsx"
import { call } from "../server/Api.ts"
import { toFailure } from "../server/Failure.ts"

/** The words of `Chosen` in the console. */
export const attachingTexts = { loading: "Uploading…", remove: "Remove" }

/** The files that a person chooses for a message in a conversation: for `AttachButton`, `Chosen` and `takingFiles`. */
export const useUploads = (chatbotId: string, sessionId: string): Uploads =>
  useMemo(
    () =>
      new Uploads(
        async (form) => {
          const params = { chatbotId }
          const route = "POST /api/external/chatbot/:chatbotId/attachments"
          return (await call(route, { params, body: form })).attachment
        },
        (error) => toFailure(error).message,
      ),
    [chatbotId, sessionId],
  )
