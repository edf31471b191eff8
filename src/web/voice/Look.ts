import type { WidgetTexts } from "../../language/WidgetTexts.ts"
import css from "./voice.css" with { type: "text" }

// By a script, since the policy of our pages allows no inline style.
const sheet = new CSSStyleSheet()
sheet.replaceSync(css)
document.adoptedStyleSheets.push(sheet)

/** The appearance of a chatbot's calls as custom properties of their style sheet. */
export const styleOf = (appearance: Readonly<Record<string, string | number>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(appearance)
      .filter(([, value]) => value !== "")
      .map(([field, value]) => [`--call-${field}`, typeof value === "number" ? `${value}px` : value]),
  )

/** What a call says in a language, by name. */
export const wordsIn = ({ voice }: WidgetTexts) => {
  const [endCall = "", muted = "", listens = "", speaks = "", recognizes, receives, noMicrophone] = voice.split(" | ")
  return { endCall, muted, listens, speaks, recognizes, receives, noMicrophone }
}
