import { plural } from "../../../shared/Format.ts"
import { call, download } from "../../server/Api.ts"
import { importFile } from "../sources/Import.tsx"

/*
 * The knowledge of a chatbot as an archive, in which it moves to another chatbot or server.
 */

const route = "/api/external/chatbot/:chatbotId/knowledge-base"

export const exportKnowledge = (chatbotId: string, name: string): Promise<void> =>
  download(`${name}.zip`, `GET ${route}/export`, { params: { chatbotId }, headers: { accept: "application/zip" } })

export const importKnowledge = (chatbotId: string, onAdded: () => void): void =>
  importFile(".zip", async (body) => {
    const { imported } = await call(`POST ${route}/import`, { params: { chatbotId }, body })
    const { documents, problems, questions, sources } = imported
    const added = [
      plural(documents.added, "document"),
      plural(sources.added, "source"),
      plural(questions.added, "question"),
    ].join(", ")
    const known = documents.known + sources.known + questions.known
    onAdded()
    return { summary: `Added: ${added}. There already: ${known}.`, problems }
  })
