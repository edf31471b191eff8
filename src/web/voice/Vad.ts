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
  /** Speech began, some 100 ms ago. */
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
/** The frames that are looked back on, and how many of them have to be speech: a cough or a click is shorter or has no pitch. */
const [BEGIN_WITHIN, BEGIN_SPEECH, BEGIN_VOICED] = [12, 7, 4]
const [RESUME_WITHIN, RESUME_SPEECH] = [4, 3]
/** Silence after which what was said may already be answered. */
const PAUSE_MS = 200
/** The longest utterance, a little less than what a server accepts. */
const LONGEST_MS = 59_000

/** Decibels of digital silence, and how far noise may be assumed to be below speech at first. */
const [SILENCE_DB, FIRST_NOISE_DB, FIRST_SPEECH_DB] = [-90, -55, -35]
/** Decibels over the noise that speech has, at a threshold of 0.5, with pitch and without; and for 0.1 more of the threshold. */
const [VOICED_DB, UNVOICED_DB, STEP_DB] = [5, 9, 1.5]
/** Decibels below the loudest speech of late that are still the same speaker. */
const SPEAKER_DB = 14
/** The periodicity of a frame with pitch. */
const PERIODIC = 0.5

/** Measures the loudness of a frame, without what lies below voices, and how periodic it and the frame before are. */
const analysis = () => {
  let [before, slow] = [0, 0]
  // 40 ms at 8 kHz: two periods of the lowest voice.
  const window = new Float32Array(FRAME)
  return (frame: Float32Array): { readonly db: number; readonly periodicity: number } => {
    window.copyWithin(0, FRAME / 2)
    let energy = 0
    for (const [index, sample] of frame.entries()) {
      slow += 0.04 * (sample - slow)
      const high = sample - slow
      energy += high * high
      if (index % 2 === 1) window[(FRAME + index - 1) / 2] = (before + high) / 2
      before = high
    }
    const db = Math.max(SILENCE_DB, 10 * Math.log10(energy / FRAME + 1e-10))
    let periodicity = 0
    // Voices are between 72 and 400 Hz.
    for (let lag = 20; lag <= 110; lag++) {
      let [both, one, other] = [0, 1e-9, 1e-9]
      for (let index = lag; index < FRAME; index++) {
        const [x, y] = [window[index] ?? 0, window[index - lag] ?? 0]
        both += x * y
        one += x * x
        other += y * y
      }
      periodicity = Math.max(periodicity, both / Math.sqrt(one * other))
    }
    return { db, periodicity }
  }
}

/** Tells speech from noise, frame by frame. */
const classifier = (threshold: number) => {
  const analyse = analysis()
  const more = (threshold - 0.5) * 10 * STEP_DB
  let [noise, speech] = [FIRST_NOISE_DB, FIRST_SPEECH_DB]
  return (frame: Float32Array) => {
    const { db, periodicity } = analyse(frame)
    const over = db - noise
    const isVoiced = periodicity > PERIODIC && over > VOICED_DB + more && db > speech - SPEAKER_DB + more
    const isSpeech = isVoiced || (over > UNVOICED_DB + more && db > speech - SPEAKER_DB + more)
    // Falls at once and rises slowly, the slower while somebody speaks: even then there are gaps.
    noise += over < 0 ? over * 0.3 : Math.min(over * 0.05, isSpeech ? 0.03 : 0.3)
    speech += isVoiced && db > speech ? (db - speech) * 0.1 : isVoiced ? (db - speech) * 0.01 : 0
    return { db, isSpeech, isVoiced }
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
  let recent: Array<{ readonly isSpeech: boolean; readonly isVoiced: boolean }> = []
  let [count, speechMs, silenceMs] = [0, 0, 0]
  let state: "silent" | "speaking" | "paused" = "silent"

  const utterance = () => {
    const samples = new Float32Array(frames.length * FRAME)
    for (const [index, frame] of frames.entries()) samples.set(frame, index * FRAME)
    return samples
  }
  const reset = () => {
    state = "silent"
    frames = frames.slice(-kept)
    recent = []
    speechMs = silenceMs = 0
  }
  const among = (within: number, key: "isSpeech" | "isVoiced") => recent.slice(-within).filter((one) => one[key]).length

  const push = (frame: Float32Array): ReadonlyArray<VadEvent> => {
    const events: Array<VadEvent> = []
    const { db, ...kind } = classify(frame)
    frames.push(frame)
    recent = [...recent.slice(1 - BEGIN_WITHIN), kind]
    const begins = among(BEGIN_WITHIN, "isSpeech") >= BEGIN_SPEECH && among(BEGIN_WITHIN, "isVoiced") >= BEGIN_VOICED
    const goesOn = among(RESUME_WITHIN, "isSpeech") >= RESUME_SPEECH
    if (state === "silent") {
      frames = frames.slice(-kept)
      if (begins) {
        state = "speaking"
        speechMs = among(BEGIN_WITHIN, "isSpeech") * FRAME_MS
        events.push({ type: "began" })
      }
    } else {
      silenceMs = goesOn ? 0 : silenceMs + FRAME_MS
      if (kind.isSpeech) speechMs += FRAME_MS
      const isTooLong = frames.length * FRAME_MS >= LONGEST_MS
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
    count += 1
    if (count % LEVEL_EVERY === 0) {
      const level = Math.max(0, Math.min(1, (db + 60) / 50))
      events.push({ type: "level", level, speechMs })
    }
    return events
  }
  return { push, reset }
}
