import { positiveDuration } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const consoleSessions = {
  lifetime: positiveDuration.or(
    "CONSOLE_SESSION",
    "12h",
    "How long somebody who has signed in at the console stays signed in.",
  ),
}

export const consoleAndEvents = {
  title: "Console",
  introduction: "Signing in at the console.",
  sections: { consoleSessions },
} satisfies Group
