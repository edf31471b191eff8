import type { Launcher } from "../../domain/chatbot/ChatWidget.ts"
import type { LauncherLook, WidgetConfig } from "../../domain/widget/Widget.ts"

/*
 * The script that a page includes, with the look of the launcher in front: so that a page asks once for both, and a change
 * of the look reaches every page without a change of what was pasted into it.
 */

/** The paths of the icons, of 24 by 24 pixels, from Lucide (ISC licence). The script has that of `chat` itself. */
const icons: Readonly<Record<Exclude<Launcher["icon"], "chat">, string>> = {
  question: "M22 12a10 10 0 1 1-20 0 10 10 0 0 1 20 0M9.09 9a3 3 0 0 1 5.83 1c0 2-3 3-3 3M12 17h.01",
  headset:
    "M3 11h3a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-5Zm0 0a9 9 0 1 1 18 0m0 0v5a2 2 0 0 1-2 2h-1a2 2 0 0 1-2-2v-3a2 2 0 0 1 2-2h3ZM21 16v2a4 4 0 0 1-4 4h-5",
  sparkles:
    "M11.017 2.814a1 1 0 0 1 1.966 0l1.051 5.558a2 2 0 0 0 1.594 1.594l5.558 1.051a1 1 0 0 1 0 1.966l-5.558 1.051a2 2 0 0 0-1.594 1.594l-1.051 5.558a1 1 0 0 1-1.966 0l-1.051-5.558a2 2 0 0 0-1.594-1.594l-5.558-1.051a1 1 0 0 1 0-1.966l5.558-1.051a2 2 0 0 0 1.594-1.594zM20 2v4M22 4h-4M6 20a2 2 0 1 1-4 0 2 2 0 0 1 4 0",
}

/** In CSS pixels. */
const sizes: Readonly<Record<Exclude<Launcher["size"], "medium">, number>> = { small: 48, large: 68 }

/** Names of a launcher without a text, by language; elsewhere it is "Chat". */
const labels: Readonly<Record<string, string>> = {
  pl: "Czat",
  ru: "Чат",
  tr: "Sohbet",
  ar: "دردشة",
  hi: "चैट",
  zh: "聊天",
  ja: "チャット",
  ko: "채팅",
}

/** The first language tag of `Accept-Language`: browsers send that first which their user prefers. */
const preferredIn = (header = ""): string => /^[\w-]*/.exec(header)?.[0] ?? ""

/** The look of a launcher, without what it is anyway; its text is in the reader's language where the operator has one. */
export const launcherLook = (
  { language, launcher: { icon, side, size, text }, primary_color, translations, voice }: WidgetConfig,
  acceptLanguage: string | undefined,
): LauncherLook => {
  const tag = language === "auto" ? preferredIn(acceptLanguage) : language
  const base = tag.slice(0, 2).toLowerCase()
  const shown = (translations[tag] ?? translations[base])?.launcher ?? text
  const label = shown === "" && Object.hasOwn(labels, base) ? labels[base] : undefined
  return {
    ...(primary_color !== "" && { color: primary_color }),
    ...(icon !== "chat" && { icon: icons[icon] }),
    ...(size !== "medium" && { size: sizes[size] }),
    ...(side === "left" && { isLeft: true }),
    ...(shown !== "" && { text: shown }),
    ...(label !== undefined && { label }),
    ...(voice !== null && { hasVoice: true }),
  }
}

/** The script behind the look that it reads, in a block, so that the page has no further name. */
export const withLook = (script: string, look: LauncherLook): string =>
  `{const parleyLook=${JSON.stringify(look)};\n${script}\n}`
