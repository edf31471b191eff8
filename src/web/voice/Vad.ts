/** What a chatbot's configuration says about detection, with its defaults filled in. */
export interface VadSettings {
  /** Between 0 and 1: the higher, the clearer and louder speech has to be. */
  readonly threshold: number
  /** Milliseconds of audio that are kept from before the speech. */
  readonly prefix_padding_ms: number
  /** Milliseconds of silence that end an utterance. */
  readonly silence_duration_ms: number
}

/** What is heard, in this order: `began`, any number of `paused` and `resumed`, and `ended` after a `paused`. */
export type VadEvent =
  /** Every 60 ms: the volume between 0 and 1, and the milliseconds of speech in the utterance so far; 0 outside of one. */
  | { readonly type: "level"; readonly level: number; readonly speechMs: number }
  /** Speech began, some 150 ms ago. */
  | { readonly type: "began" }
  /**
   * Nothing was said for 200 ms: the utterance so far at 16 kHz, with its prefix, and for how many milliseconds more
   * there has to be silence until it ends.
   */
  | {
      readonly type: "paused"
      readonly samples: Float32Array<ArrayBuffer>
      readonly speechMs: number
      readonly holdMs: number
    }
  /** The same utterance goes on: the samples of `paused` were not all. */
  | { readonly type: "resumed" }
  /** The utterance ended as it was at the last `paused`. */
  | { readonly type: "ended"; readonly speechMs: number }

/** Samples of a frame: 20 ms. */
export const FRAME = 320
const FRAME_MS = 20
/** In frames. */
const LEVEL_EVERY = 3
/** Frames that are looked back on, how many of them have to be speech, and how many with pitch: coughs have less of it. */
const [BEGIN_WITHIN, BEGIN_SPEECH, BEGIN_VOICED] = [12, 7, 6]
const [RESUME_WITHIN, RESUME_SPEECH] = [4, 3]
/** Silence after which what was said may already be answered. */
const PAUSE_MS = 200
/** The longest utterance, a little less than what a server accepts. */
const LONGEST_MS = 59_000

/*
 * These were chosen on English and Arabic speech, as it is and in noise. In decibels: noise and speech before any was
 * heard; how far speech is over the noise, with pitch, without it, and above 1 kHz; how far below the loudest speech of
 * late the same speaker may be; what 0.1 more of the threshold adds to these; and what an utterance that has begun needs less.
 */
const [NOISE, SPEECH, VOICED, UNVOICED, HIGH, SPEAKER, STEP, ONGOING] = [-60, -33, 4, 10, 7, 12, 1.5, 2]
/** The periodicity of a frame with pitch, at the beginning of an utterance and later. */
const [PERIODIC, STILL_PERIODIC] = [0.6, 0.5]

const decibels = (energy: number) => 10 * Math.log10(energy / FRAME + 1e-9)

/** Measures the loudness of a frame below and above 1 kHz, and how periodic it and the frame before it are. */
const analyser = () => {
  let [rumble, first, low, before] = [0, 0, 0, 0]
  // 40 ms at 8 kHz, two periods of the lowest voice, and the sums of its squares.
  const [window, sums] = [new Float32Array(FRAME), new Float32Array(FRAME + 1)]
  return (frame: Float32Array) => {
    window.copyWithin(0, FRAME / 2)
    let [lowEnergy, highEnergy, periodicity] = [0, 0, 0]
    for (let index = 0; index < FRAME; index++) {
      const sample = frame[index] ?? 0
      rumble += 0.04 * (sample - rumble)
      first += 0.45 * (sample - rumble - first)
      low += 0.45 * (first - low)
      lowEnergy += low * low
      highEnergy += (sample - rumble - low) ** 2
      if (index % 2 === 1) window[(FRAME + index - 1) / 2] = (before + low) / 2
      before = low
    }
    for (let index = 0; index < FRAME; index++) sums[index + 1] = (sums[index] ?? 0) + (window[index] ?? 0) ** 2
    // Voices are between 72 and 400 Hz.
    for (let lag = 20; lag <= 110; lag++) {
      let product = 0
      for (let index = lag; index < FRAME; index++) product += (window[index] ?? 0) * (window[index - lag] ?? 0)
      const energies = ((sums[FRAME] ?? 0) - (sums[lag] ?? 0)) * (sums[FRAME - lag] ?? 0)
      periodicity = Math.max(periodicity, product / Math.sqrt(energies + 1e-12))
    }
    return { all: decibels(lowEnergy + highEnergy), low: decibels(lowEnergy), high: decibels(highEnergy), periodicity }
  }
}

/** The noise of a band. It falls quickly and rises slowly, the slower while somebody speaks: even then there are gaps. */
const noiseFloor = () => {
  let [mean, deviation] = [NOISE, 1.5]
  return {
    /** Decibels over what the noise mostly is. */
    over: (level: number) => level - mean - 0.7 * deviation,
    learn: (level: number, { isSpeech, isVoiced }: Kind) => {
      const difference = level - mean
      if (!isSpeech) deviation += 0.02 * (Math.min(8, Math.abs(difference)) - deviation)
      mean += difference < 0 ? difference * 0.15 : Math.min(difference * 0.05, isVoiced ? 0.02 : isSpeech ? 0.3 : 1)
    },
  }
}

interface Kind {
  readonly isSpeech: boolean
  readonly isVoiced: boolean
}

/** Tells speech from noise, frame by frame: by energy over the noise, near enough, and by pitch. */
const classifier = (threshold: number) => {
  const analyse = analyser()
  const [lowNoise, highNoise] = [noiseFloor(), noiseFloor()]
  let speech = SPEECH
  return (frame: Float32Array, isOngoing: boolean): Kind & { readonly level: number } => {
    const { all, high, low, periodicity } = analyse(frame)
    const more = (threshold - 0.5) * 10 * STEP - (isOngoing ? ONGOING : 0)
    const isNear = (level: number) => level > speech - SPEAKER + more
    const isOver = (level: number, enough: number) => level > enough + more
    const over = lowNoise.over(low)
    const isVoiced = periodicity > (isOngoing ? STILL_PERIODIC : PERIODIC) && isOver(over, VOICED) && isNear(low)
    const isSpeech =
      isVoiced || (isOver(over, UNVOICED) && isNear(low)) || (isOver(highNoise.over(high), HIGH) && isNear(all))
    lowNoise.learn(low, { isSpeech, isVoiced })
    highNoise.learn(high, { isSpeech, isVoiced })
    if (isVoiced) speech += (low - speech) * (low > speech ? 0.1 : 0.01)
    return { isSpeech, isVoiced, level: Math.max(0, Math.min(1, (all + 60) / 50)) }
  }
}

/** One listener: `push` takes the next frame of 16 kHz and returns what happened, `reset` forgets the utterance. */
export interface Vad {
  readonly push: (frame: Float32Array) => ReadonlyArray<VadEvent>
  readonly reset: () => void
}

/** Detects utterances in a stream of frames. */
export const makeVad = (settings: VadSettings): Vad => {
  const classify = classifier(settings.threshold)
  const pauseMs = Math.min(PAUSE_MS, settings.silence_duration_ms)
  const kept = Math.ceil(settings.prefix_padding_ms / FRAME_MS) + BEGIN_WITHIN
  let frames: Array<Float32Array> = []
  let recent: Array<Kind> = []
  let [count, speechMs, silenceMs] = [0, 0, 0]
  let state: "silent" | "speaking" | "paused" = "silent"

  const among = (within: number, key: keyof Kind) => recent.slice(-within).filter((kind) => kind[key]).length
  const utterance = () => {
    const samples = new Float32Array(frames.length * FRAME)
    for (const [index, frame] of frames.entries()) samples.set(frame, index * FRAME)
    return samples
  }
  const reset = () => {
    state = "silent"
    recent = []
    speechMs = silenceMs = 0
  }
  const push = (frame: Float32Array): ReadonlyArray<VadEvent> => {
    const events: Array<VadEvent> = []
    const kind = classify(frame, state !== "silent")
    recent = [...recent.slice(1 - BEGIN_WITHIN), kind]
    if (state === "silent") frames = frames.slice(1 - kept)
    frames.push(frame)
    if (state === "silent") {
      if (among(BEGIN_WITHIN, "isSpeech") >= BEGIN_SPEECH && among(BEGIN_WITHIN, "isVoiced") >= BEGIN_VOICED) {
        state = "speaking"
        speechMs = among(BEGIN_WITHIN, "isSpeech") * FRAME_MS
        events.push({ type: "began" })
      }
    } else {
      const goesOn = among(RESUME_WITHIN, "isSpeech") >= RESUME_SPEECH
      const isTooLong = frames.length * FRAME_MS >= LONGEST_MS
      silenceMs = goesOn ? 0 : silenceMs + FRAME_MS
      if (kind.isSpeech) speechMs += FRAME_MS
      if (state === "paused" && goesOn) {
        state = "speaking"
        events.push({ type: "resumed" })
      }
      if (state === "speaking" && (silenceMs >= pauseMs || isTooLong)) {
        state = "paused"
        const holdMs = isTooLong ? 0 : settings.silence_duration_ms - pauseMs
        events.push({ type: "paused", samples: utterance(), speechMs, holdMs })
      }
      if (state === "paused" && (silenceMs >= settings.silence_duration_ms || isTooLong)) {
        events.push({ type: "ended", speechMs })
        reset()
      }
    }
    count = (count + 1) % LEVEL_EVERY
    if (count === 0) events.push({ type: "level", level: kind.level, speechMs })
    return events
  }
  return { push, reset }
}
