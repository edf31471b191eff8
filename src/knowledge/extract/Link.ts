/** An address that is worth keeping in a text: of the web or of mail, and not of a file on somebody's disk. */
const isWebAddress = (address: string): boolean => /^(?:https?:\/\/|mailto:)\S+$/i.test(address)

/** A link as Markdown; only its text when the address adds nothing. */
export const markdownLink = (text: string, address: string): string => {
  const words = text.trim()
  if (words === "" || !isWebAddress(address) || words === address || `mailto:${words}` === address) return text
  return `[${words.replaceAll(/[[\]]/g, "")}](${address.replaceAll("(", "%28").replaceAll(")", "%29")})`
}
