interface Choice {
  readonly accept?: string
  readonly multiple?: boolean
  /** Takes a folder with everything in it. */
  readonly webkitdirectory?: boolean
}

/** Has the person choose files in the browser's own dialog; nothing happens when it is closed without a choice. */
export const pickFiles = (choice: Choice, onFiles: (files: ReadonlyArray<File>) => void): void => {
  const input = Object.assign(document.createElement("input"), { type: "file", ...choice })
  input.addEventListener("change", () => onFiles(Array.from(input.files ?? [])))
  input.click()
}
