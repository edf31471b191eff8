import type { WidgetVoice } from "../../domain/widget/Widget.ts"
import type { Call, Listener } from "./Call.ts"
import type { VadEvent } from "./Vad.ts"
import { wavOf } from "./Wav.ts"

const CONSTRAINTS = { audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true } }

/** Listens through the browser's default microphone, whichever that is at the time. */
export class Microphone implements Listener {
  isInterrupting = false
  readonly #config: WidgetVoice
  readonly #call: Call
  readonly #context = new AudioContext()
  #node: AudioWorkletNode | undefined
  #source: MediaStreamAudioSourceNode | undefined
  #isOpen = true
  /** Whether there is speech right now, and no pause in it. */
  #isSpeech = false
  /** Counts the attempts to take a microphone: of several at once, the last one counts. */
  #attempts = 0

  constructor(config: WidgetVoice, call: Call) {
    this.#config = config
    this.#call = call
  }

  async start(): Promise<void> {
    void this.#context.resume()
    await this.#take()
    await this.#context.audioWorklet.addModule(new URL("voice-worklet.js", import.meta.url).href)
    const processorOptions = this.#config.vad
    this.#node = new AudioWorkletNode(this.#context, "parley-voice", { numberOfOutputs: 0, processorOptions })
    this.#node.port.onmessage = ({ data }: MessageEvent<VadEvent>) => this.#isOpen && this.#hear(data)
    this.#source?.connect(this.#node)
    navigator.mediaDevices.addEventListener("devicechange", this.#change)
  }

  /** Nothing leaves the browser while it is closed. Detection goes on, to know the noise when it is opened. */
  open(isOpen: boolean): void {
    if (isOpen === this.#isOpen) return
    this.#isOpen = isOpen
    this.#node?.port.postMessage("reset")
    this.#call.level.value = 0
  }

  stop(): void {
    this.#attempts += 1
    navigator.mediaDevices.removeEventListener("devicechange", this.#change)
    this.#release()
    void this.#context.close()
  }

  #hear(event: VadEvent): void {
    if (event.type !== "level") this.#isSpeech = event.type === "began" || event.type === "resumed"
    if (event.type === "paused") this.#call.onPause(wavOf(event.samples), event.holdMs)
    else if (event.type === "resumed") this.#call.onResumed()
    else if (event.type === "ended") this.#call.onEnd()
    else if (event.type === "level") {
      this.#call.level.value = event.level
      if (this.#isSpeech) this.#call.onSpeech(event.speechMs)
    }
  }

  /** Takes the microphone that is the default now: a device was plugged in or out, or has lost its connection. */
  readonly #change = async (): Promise<void> => {
    const before = this.#track?.label
    await this.#take().catch((failure) => this.#call.onFailure(failure))
    const { label = "" } = this.#track ?? {}
    if (label !== before) this.#call.microphone.value = label
  }

  get #track(): MediaStreamTrack | undefined {
    return this.#source?.mediaStream.getAudioTracks()[0]
  }

  async #take(): Promise<void> {
    this.#attempts += 1
    const attempt = this.#attempts
    const stream = await navigator.mediaDevices.getUserMedia(CONSTRAINTS)
    if (attempt !== this.#attempts) return stream.getTracks().forEach((track) => track.stop())
    this.#release()
    this.#source = this.#context.createMediaStreamSource(stream)
    if (this.#node !== undefined) this.#source.connect(this.#node)
    this.#track?.addEventListener("ended", this.#change)
    // A voice of the browser itself is no sound that it could take out of the microphone's.
    const { echoCancellation } = this.#track?.getSettings() ?? {}
    this.isInterrupting = this.#config.speaking === "server" && Boolean(echoCancellation)
  }

  #release(): void {
    // It tells nobody that it ends.
    this.#track?.stop()
    this.#source?.disconnect()
    this.#source = undefined
  }
}
