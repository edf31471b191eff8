/*
 * Files that the console makes, or hands on.
 */

/** Saves a file to the person's disk. */
export const saveFile = (name: string, content: Blob): void => {
  const address = URL.createObjectURL(content)
  const link = document.createElement("a")
  link.href = address
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // Browsers read the address after this turn.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** A text as the name of a file: letters, digits and hyphens. */
export const fileName = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 80) || "file"
