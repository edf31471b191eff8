import { describe, expect, test } from "bun:test"
import { missingForSpeech } from "../../lib/Programs.ts"
import { recognitionServer, recorded, understood } from "../../lib/RecognitionServer.ts"
import { sharedRun } from "../../lib/Scoped.ts"
import { startServer } from "../../lib/TestServer.ts"
import { publish, visit } from "../../lib/Visitors.ts"
import { speak } from "../../lib/VoiceClient.ts"

/*
 * Real speech, by espeak-ng, and real recognition, by pocketsphinx. Where one of them is missing, `verify` leaves this
 * file out, but in CI.
 */

const MINUTE = 60_000

describe("real speech", () => {
  test(
    "A question that is asked aloud is understood, answered from the knowledge, and the spoken answer is understood too",
    async () => {
      expect(missingForSpeech).toBeUndefined()
      const { directory, url } = await sharedRun()(recognitionServer)
      const { client } = await startServer({ TRANSCRIPTION_BASE_URL: url, SPEECH_BASE_URL: url })
      const { id } = await client.newChatbot({ settings: { model: "local/extractive" } })
      await client.patch(`/api/external/chatbot/${id}/voice-agent`, { json: {} })
      await client.learn(id, {
        "museum.txt": "The museum is in the old library.",
        "ferry.txt": "The ferry leaves the harbour at noon.",
        "garden.txt": "Dogs are welcome in the garden.",
      })
      const turn = await speak(await visit(client, await publish(client, id)), {
        audio: await recorded("Where is the museum?"),
        language: "en",
      })
      await turn.read()
      expect(turn.transcript).toContain("museum")
      expect(turn.text).toContain("The museum is in the old library.")
      expect(await understood(turn.audio, directory)).toContain("old library")
    },
    2 * MINUTE,
  )
})
