import {
  SPEECH_API_KEY,
  SPEECH_BASE_URL,
  SPEECH_MODEL,
  TRANSCRIPTION_API_KEY,
  TRANSCRIPTION_BASE_URL,
  TRANSCRIPTION_MODEL,
} from "../system/Variables.ts"
import { httpUrl, secret, text } from "./Kinds.ts"
import { openAiServer } from "./LanguageModels.ts"
import type { Group } from "./Setting.ts"

const voice = {
  openai: openAiServer,
  transcription: {
    model: text.orAbsent(
      TRANSCRIPTION_MODEL,
      `Model that writes down what visitors say. Absent: \`whisper-1\` with ${TRANSCRIPTION_BASE_URL}; without both, browsers do it.`,
    ),
    baseUrl: httpUrl.orAbsent(
      TRANSCRIPTION_BASE_URL,
      "Server with OpenAI's `/audio/transcriptions`, such as speaches or whisper.cpp. Absent: that of the `openai/…` models.",
    ),
    apiKey: secret.orAbsent(TRANSCRIPTION_API_KEY, "Key of this server, if it needs one."),
  },
  speech: {
    model: text.orAbsent(
      SPEECH_MODEL,
      `Model that speaks replies. Absent: \`tts-1\` with ${SPEECH_BASE_URL}; without both, browsers do it.`,
    ),
    baseUrl: httpUrl.orAbsent(
      SPEECH_BASE_URL,
      "Server with OpenAI's `/audio/speech`, such as Kokoro or speaches. Absent: that of the `openai/…` models.",
    ),
    apiKey: secret.orAbsent(SPEECH_API_KEY, "Key of this server, if it needs one."),
  },
}

export const voices = {
  title: "Voice",
  introduction: "",
  sections: { voice },
} satisfies Group
