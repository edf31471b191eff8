/**
 * The characters by which a text can command the terminal that shows it: controls, from which escape sequences are made,
 * ends of lines, and marks that reverse the order in which a line is shown.
 */
const COMMANDS = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu

/** Escapes the characters of a text that a terminal would act upon, as JSON does: `\n`, `\u001b`. */
export const printable = (text: string): string =>
  text.replace(COMMANDS, (character) => {
    const inJson = JSON.stringify(character).slice(1, -1)
    return inJson === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}` : inJson
  })
