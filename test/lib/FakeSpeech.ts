import { Effect, type Scope } from "effect"
import { listening } from "./Listening.ts"

/*
 * A server with OpenAI's audio API over HTTP: it understands what the recordings of the tests say in their last bytes, and
 * speaks with a fixed time for each character.
 */

/** Milliseconds of audio of one character (UTF-16 code unit). */
export const MS_PER_CHARACTER = 10

const RATE = 24_000

/** Samples of 16 bits: a sound that is not silence, so that what is lost shows. */
export const samplesOf = (ms: number, rate = RATE, channels = 1): Buffer<ArrayBuffer> => {
  const samples = new Int16Array(Math.round((ms / 1_000) * rate) * channels)
  for (let index = 0; index < samples.length; index++) samples[index] = ((index * 37) % 2_000) - 1_000
  return Buffer.from(samples.buffer)
}

/** A WAV file with these samples. */
export const wavOf = (samples: Buffer, rate = RATE, channels = 1, announced = samples.length): Buffer => {
  const header = Buffer.alloc(44)
  header.write("RIFF", 0)
  header.writeUInt32LE(Math.min(36 + announced, 0xffff_ffff), 4)
  header.write("WAVEfmt ", 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * channels * 2, 28)
  header.writeUInt16LE(channels * 2, 32)
  header.writeUInt16LE(16, 34)
  header.write("data", 36)
  header.writeUInt32LE(announced, 40)
  return Buffer.concat([header, samples])
}

/** A recording of so many seconds, of which the fake server understands the words. */
export const recordingOf = (words: string, seconds = 1, rate = 16_000): Buffer =>
  Buffer.concat([wavOf(samplesOf(seconds * 1_000, rate), rate), Buffer.from(`SAID${words}`)])

/** A running fake server. */
export interface FakeSpeech {
  /** The base URL, without a version. */
  readonly url: string
  /** What was asked: the fields of forms, and the bodies of requests for speech. */
  readonly transcriptions: Array<Readonly<Record<string, string>>>
  readonly spoken: Array<{ readonly input: string; readonly voice: string; readonly model: string }>
  /** Requests for speech whose client has left before their end. */
  left: number
  /** Answers in place of the server; undefined to serve. */
  transcribe: ((said: string) => Response | Promise<Response>) | undefined
  speak: ((input: string) => Response | Promise<Response>) | undefined
}

/** Starts a fake server until the scope closes. */
export const fakeSpeech: Effect.Effect<FakeSpeech, never, Scope.Scope> = Effect.gen(function* () {
  const url = yield* listening(async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === "/v1/audio/transcriptions") {
      const form = await request.formData()
      const file = form.get("file")
      if (!(file instanceof File)) return new Response("no file", { status: 400 })
      const bytes = Buffer.from(await file.arrayBuffer())
      const at = bytes.lastIndexOf("SAID")
      const said = at === -1 ? "" : bytes.subarray(at + 4).toString()
      const fields: Record<string, string> = { name: file.name, type: file.type }
      form.forEach((value, name) => {
        if (typeof value === "string") fields[name] = value
      })
      fake.transcriptions.push(fields)
      return fake.transcribe === undefined ? Response.json({ text: said }) : fake.transcribe(said)
    }
    if (pathname === "/v1/audio/speech") {
      const body = Object(await request.json())
      if (body.response_format !== "pcm") return new Response("no such format", { status: 400 })
      fake.spoken.push(body)
      request.signal.addEventListener("abort", () => fake.left++)
      const input = String(body.input)
      return fake.speak === undefined
        ? new Response(samplesOf(input.length * MS_PER_CHARACTER), { headers: { "content-type": "audio/pcm" } })
        : fake.speak(input)
    }
    return new Response("", { status: 404 })
  })
  const fake: FakeSpeech = { url, transcriptions: [], spoken: [], left: 0, transcribe: undefined, speak: undefined }
  return fake
})
