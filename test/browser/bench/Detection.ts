import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { wavOf } from "../../../src/web/voice/Wav.ts"
import { launch } from "../lib/Visit.ts"
import { head, type Heard, row, scenesOf, type Score, scoreOf, settings, sum } from "../../bench/voice/Detection.ts"
import { type Language, RATE, type Scene } from "../../bench/voice/Scenes.ts"

/*
 * `bun run bench voice browser` runs this as a program of its own, which knows the types of browsers. Detection in Chromium: a fake microphone plays a scene in real time, through all that the browser does to sound, into
 * the worklet of the widget.
 */

const SCENES = [
  "quiet",
  "white noise 20 dB",
  "white noise 10 dB",
  "white noise 5 dB",
  "babble 10 dB",
  "coughs",
  "another voice, 15 dB lower",
]
const LANGUAGES = ["en", "ar", "de", "zh"] as const
/** The worklet tells the level each 60 ms of sound, by which its events are dated. */
const LEVEL_SAMPLES = 0.06 * RATE

/** An event of the worklet, with the number of levels that came before it, and the samples of a pause. */
type Dated = readonly [type: string, levels: number, samples: number]

const page = `<!doctype html><script type="module">
const context = new AudioContext()
await context.audioWorklet.addModule("/worklet.js")
const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true }
window.begin = async () => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio })
  const node = new AudioWorkletNode(context, "parley-voice", { numberOfOutputs: 0, processorOptions: ${JSON.stringify(settings)} })
  const heard = (window.heard = [])
  let levels = 0
  node.port.onmessage = ({ data }) =>
    data.type === "level" ? (levels += 1) : heard.push([data.type, levels, data.samples?.length ?? 0])
  context.createMediaStreamSource(stream).connect(node)
  await context.resume()
}
window.isReady = true
</script>`

const heardFrom = (events: ReadonlyArray<Dated>, offset: number) => {
  const heard: Array<Heard> = []
  let withdrawn = 0
  let utterance = { start: 0, end: 0 }
  for (const [type, levels, samples] of events) {
    const now = levels * LEVEL_SAMPLES + offset
    if (type === "paused") utterance = { start: now - samples, end: now }
    if (type === "resumed") withdrawn += 1
    if (type === "ended") heard.push({ ...utterance, known: now })
  }
  return { heard, withdrawn }
}

/** Nobody knows when the browser begins to play: the offset within three seconds counts that agrees best. */
const bestScore = (scene: Scene, events: ReadonlyArray<Dated>): Score => {
  let best: Score | undefined
  for (let offset = -1; offset <= 3; offset += 0.02) {
    const found = scoreOf(scene, heardFrom(events, offset * RATE))
    const isBetter =
      best === undefined || found.whole > best.whole || (found.whole === best.whole && found.cut < best.cut)
    if (isBetter) best = found
  }
  return best ?? scoreOf(scene, { heard: [], withdrawn: 0 })
}

const play = async (url: string, scene: Scene, file: string): Promise<Score> => {
  await Bun.write(file, wavOf(scene.samples))
  const browser = await launch([
    "--autoplay-policy=no-user-gesture-required",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    `--use-file-for-fake-audio-capture=${file}%noloop`,
  ])
  try {
    const tab = await browser.newPage()
    await tab.goto(url)
    await tab.waitForFunction(() => Reflect.get(window, "isReady") === true)
    await tab.evaluate(() => Reflect.get(window, "begin")())
    await tab.waitForTimeout((scene.samples.length / RATE) * 1_000 + 2_000)
    return bestScore(scene, await tab.evaluate(() => Reflect.get(window, "heard") as ReadonlyArray<Dated>))
  } finally {
    await browser.close()
  }
}

/** Returns lines as they come: the languages of one scene are played at once. */
async function* detectionInBrowser(): AsyncGenerator<string> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "../../../src/web/voice/worklet.ts")],
    format: "iife",
  })
  const worklet = (await built.outputs[0]?.text()) ?? ""
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) =>
      url.endsWith("/worklet.js")
        ? new Response(worklet, { headers: { "content-type": "text/javascript" } })
        : new Response(page, { headers: { "content-type": "text/html" } }),
  })
  const directory = mkdtempSync(join(tmpdir(), "parley-detection-"))
  const found: Array<readonly [Language, Score]> = []
  try {
    yield head
    const scenes = await Promise.all(
      LANGUAGES.map(async (language) => [language, await scenesOf(language, 4)] as const),
    )
    for (const name of SCENES) {
      const scores = await Promise.all(
        scenes.map(async ([language, all]) => {
          const scene = all[name]
          if (scene === undefined) throw new Error(`There is no scene ${name}.`)
          const score = await play(server.url.href, scene, join(directory, `${language}.wav`))
          found.push([language, score])
          return score
        }),
      )
      yield row(name, sum(scores))
    }
    for (const language of LANGUAGES) {
      yield row(language, sum(found.filter(([of]) => of === language).map(([, score]) => score)))
    }
  } finally {
    await server.stop(true)
    rmSync(directory, { recursive: true })
  }
}

for await (const line of detectionInBrowser()) process.stdout.write(`${line}\n`)
