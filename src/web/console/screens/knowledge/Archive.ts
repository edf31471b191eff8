import { saveFile } from "../../../shared/Download.ts"
import { plural } from "../../../shared/Format.ts"
import { call, open } from "../../server/Api.ts"
import { importFile } from "../sources/Import.tsx"

/*
 * The knowledge of a chatbot as an archive, in which it moves to another chatbot or server.
 */

const route = "/api/external/chatbot/:chatbotId/knowledge-base"

export const exportKnowledge = async (chatbotId: string, name: string): Promise<void> => {
  const response = await open(`GET ${route}/export`, { params: { chatbotId }, headers: { accept: "application/zip" } })
  saveFile(`${name}.zip`, await response.blob())
}

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
