/** Whether an address is useful outside of the document: a web or mail address, not a path on the author's disk. */
const isWebAddress = (address: string): boolean => /^(?:https?:\/\/|mailto:)\S+$/i.test(address)

/** Writes a link in Markdown, or only its text when the address is no web address or is the text itself. */
export const markdownLink = (text: string, address: string): string => {
  const words = text.trim()
  if (words === "" || !isWebAddress(address) || words === address || `mailto:${words}` === address) return text
  return `[${words.replaceAll(/[[\]]/g, "")}](${address.replaceAll("(", "%28").replaceAll(")", "%29")})`
}
