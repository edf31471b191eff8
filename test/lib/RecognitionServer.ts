import { Effect, type Scope } from "effect"
import { join } from "node:path"
import { resampler } from "../../src/web/voice/Resampler.ts"
import { wavOf } from "../../src/web/voice/Wav.ts"
import { samplesOf, spoken, SPOKEN_RATE } from "./Espeak.ts"
import { listening } from "./Listening.ts"
import { pocketsphinx } from "./Programs.ts"
import { temporaryDirectory } from "./TemporaryDirectory.ts"

/*
 * A server with OpenAI's audio API that really listens and speaks: pocketsphinx understands English, and espeak-ng speaks.
 */

/** The voice that pocketsphinx understands best. */
const VOICE = { voice: "en-us", speed: 110 }

/** Half a second of silence around what is said, and a room: recognition expects both. */
const inRoom = (samples: Float32Array): Float32Array => {
  const room = new Float32Array(samples.length + 16_000)
  for (const [index, sample] of samples.entries()) room[8_000 + index] = sample / 2
  return room.map((sample, index) => sample + Math.sin(index * index) * 0.002)
}

/** A recording of 16 kHz in which a text is spoken. */
export const recorded = async (text: string): Promise<Buffer> =>
  Buffer.from(await wavOf(inRoom(resampler(SPOKEN_RATE)(samplesOf(await spoken(text, VOICE))))).arrayBuffer())

/** The words of a WAV file of 16 kHz. */
const understand = async (path: string): Promise<string> => {
  const child = Bun.spawn([pocketsphinx ?? "", "-infile", path, "-logfn", "/dev/null"], { stderr: "ignore" })
  return (await new Response(child.stdout).text()).trim().replaceAll(/\s+/g, " ")
}

/** The words of samples of 16 bits at 24 kHz, which replies have. */
export const understood = async (audio: Buffer, directory: string): Promise<string> => {
  const samples = Float32Array.from({ length: audio.length >> 1 }, (_, index) => audio.readInt16LE(index * 2) / 0x80_00)
  const path = join(directory, `${crypto.randomUUID()}.wav`)
  await Bun.write(path, wavOf(inRoom(resampler(24_000)(samples))))
  return understand(path)
}

/** Starts the server. Returns its base URL, without a version, and a directory for files. */
export const recognitionServer: Effect.Effect<
  { readonly url: string; readonly directory: string },
  never,
  Scope.Scope
> = Effect.gen(function* () {
  const directory = yield* temporaryDirectory("speech")
  const url = yield* listening(async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === "/v1/audio/transcriptions") {
      const file = (await request.formData()).get("file")
      if (!(file instanceof File)) return new Response("no file", { status: 400 })
      const path = join(directory, `${crypto.randomUUID()}.wav`)
      await Bun.write(path, file)
      return Response.json({ text: await understand(path) })
    }
    if (pathname === "/v1/audio/speech") {
      const { input } = Object(await request.json())
      return new Response(await spoken(String(input), VOICE), { headers: { "content-type": "audio/wav" } })
    }
    return new Response("", { status: 404 })
  })
  return { url, directory }
})
