import type { BrowserContext, Frame, Page } from "playwright-core"
import { RATE, silence, voice } from "./Speech.ts"

/*
 * A microphone into which a test speaks once it is the visitor's turn. One that plays a recording goes on while a busy
 * machine is not there yet.
 */

/** Takes the place of the browser's own microphones in every frame. */
const install = ([noise, rate]: readonly [ReadonlyArray<number>, number]) => {
  const { mediaDevices } = navigator
  if (mediaDevices === undefined) return
  const play = (destination: AudioNode, samples: ReadonlyArray<number>, loop = false) => {
    const buffer = new AudioBuffer({ length: samples.length, sampleRate: rate })
    buffer.copyToChannel(Float32Array.from(samples), 0)
    const source = new AudioBufferSourceNode(destination.context, { buffer, loop })
    source.connect(destination)
    source.start()
    return source
  }
  const opened: Array<AudioNode> = []
  mediaDevices.getUserMedia = async () => {
    const destination = new MediaStreamAudioDestinationNode(new AudioContext())
    play(destination, noise, true)
    opened.push(destination)
    for (const track of destination.stream.getTracks()) {
      // As microphones do, without which a call takes no interruptions.
      track.getSettings = () => ({ echoCancellation: true })
    }
    return destination.stream
  }
  Object.defineProperty(window, "speak", {
    value: async (samples: ReadonlyArray<number>) => {
      // The first sound after its start has gaps on a busy machine.
      while ((opened.at(-1)?.context.currentTime ?? 0) < 1) await new Promise((resolve) => setTimeout(resolve, 20))
      const sources = opened.map((destination) => play(destination, samples))
      await new Promise((resolve) => sources.at(-1)?.addEventListener("ended", resolve))
    },
  })
}

/** Lets the pages of a profile have a microphone in which there is a little noise until the visitor speaks. */
export const withMicrophone = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(install, [silence(1), RATE] as const)

/** Speaks into the microphones that a document has opened, and completes at the end of it. */
export const speak = (document: Frame | Page, seconds = 1.5): Promise<void> =>
  document.evaluate((samples) => Reflect.get(window, "speak")(samples), voice(seconds))
