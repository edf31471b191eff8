/** Copies a text to the clipboard. Returns whether the browser allowed it, which some do not inside of a frame. */
export const copyText = (text: string): Promise<boolean> => {
  // Absent where the page does not come over https.
  const clipboard: Clipboard | undefined = navigator.clipboard
  const copiedByCommand = (): boolean => {
    const area = document.createElement("textarea")
    area.value = text
    area.className = "visually-hidden"
    // Behind an open dialog, nothing can be selected.
    const within = document.querySelector("dialog[open]") ?? document.body
    within.append(area)
    area.select()
    const done = document.execCommand("copy")
    area.remove()
    return done
  }
  if (clipboard === undefined) return Promise.resolve(copiedByCommand())
  return clipboard.writeText(text).then(() => true, copiedByCommand)
}
