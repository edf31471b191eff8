import * as Prompt from "effect/ai/Prompt"
import { IMAGE_TOKENS } from "../domain/chat/Attachment.ts"

/*
 * The files of messages in prompts: parts of the type `file`, whose data are an image in base64, or empty where a model
 * is only told that there was a file.
 */

/** The images that a model sees in a message, in base64. */
export const imagesIn = ({ content, role }: Prompt.Message): ReadonlyArray<string> =>
  role === "user" ? content.flatMap((part) => (part.type === "file" ? (imageOf(part) ?? []) : [])) : []

/** The image of a file, in base64; undefined for a file that a model does not see. */
export const imageOf = ({ data }: Prompt.FilePart): string | undefined =>
  typeof data === "string" && data !== "" ? data : undefined

/** What a model is told of a file that it does not see. */
export const fileNote = ({ fileName = "" }: Prompt.FilePart): string =>
  `[The user has sent a file that you cannot see: ${JSON.stringify(fileName)}]`

/** The prompt with the names of its images in their places. */
export const withoutImages = (prompt: Prompt.Prompt): Prompt.Prompt =>
  Prompt.fromMessages(
    prompt.content.map((message) =>
      message.role === "user"
        ? { ...message, content: message.content.map((part) => (part.type === "file" ? { ...part, data: "" } : part)) }
        : message,
    ),
  )

/** Characters of a text of as many tokens as an image has. */
const IMAGE_LENGTH = IMAGE_TOKENS * 4

/** The length of a request's body for an estimate of its tokens, in which an image counts by its size in tokens. */
export const countedLength = (body: string, { content }: Prompt.Prompt): number =>
  content.flatMap(imagesIn).reduce((length, image) => length - image.length + IMAGE_LENGTH, body.length)
