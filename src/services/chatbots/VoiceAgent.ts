import { defaultVad, DEFAULT_VOICE, type VoiceWidgetConfig } from "../../domain/chatbot/VoiceWidget.ts"
import type { WidgetVoice } from "../../domain/widget/Widget.ts"
import type { VoiceServers } from "../../models/voice/VoiceServers.ts"

/** The voice agent of a chatbot, by its configuration and the servers that there are. */
export const voiceOf = (
  { appearance = {}, avatar, text = {}, vad, voice }: VoiceWidgetConfig,
  { speech, transcription }: VoiceServers["Service"],
): WidgetVoice => ({
  listening: transcription === undefined ? "browser" : "server",
  speaking: speech === undefined ? "browser" : "server",
  voice: voice ?? DEFAULT_VOICE,
  appearance,
  avatar: avatar?.imageUrl ?? "",
  text,
  vad: { ...defaultVad, ...vad },
})
