import { decodeText } from "./Decode.ts"

/** Reads the text of a document in a document, whose format its first bytes tell: RTF, MHT, HTML or plain text. */
export const embeddedText = async (bytes: Uint8Array): Promise<string> => {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1024)).replace(/^(?:\xef\xbb\xbf)?\s*/, "")
  if (head.startsWith("{\\rtf")) {
    const { text } = await (await import("./rtf/Rtf.ts")).rtf(bytes, Number.POSITIVE_INFINITY)
    return typeof text === "string" ? text : text.join("\n\n")
  }
  // A page of HTML with its pictures has the form of a mail.
  if (/^(?:MIME-Version|Content-Type|From|Date|Subject)[ \t]*:/i.test(head)) {
    return (await import("./mail/Eml.ts")).messageText(bytes)
  }
  if (/^<[!?/a-z]/i.test(head)) {
    const { declaredEncoding, htmlText } = await import("./html/Html.ts")
    return htmlText(decodeText(bytes, declaredEncoding(bytes))).text
  }
  return decodeText(bytes)
}
