import { decodeText } from "./Decode.ts"
import type { Draft, Reader } from "./Extraction.ts"
import { oneLine } from "./Text.ts"

/** A line of subtitles with the time at which it shows. */
interface Line {
  /** The time in seconds. */
  readonly start: number
  readonly end: number
  readonly text: string
  readonly speaker: string
}

const TIME = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})`
const timing = new RegExp(`^\\s*${TIME}[ \\t]*-->[ \\t]*${TIME}`)

const seconds = (hours = "0", minutes = "0", rest = "0"): number =>
  Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)

const characters: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", nbsp: " ", lrm: "", rlm: "" }

/** Removes tags such as `<i>` and `{\an8}`, and decodes the references that WebVTT has. */
const plain = (line: string): string =>
  oneLine(
    line
      .replace(/<[^<>]*>/g, "")
      .replace(/\{\\[^{}]*\}/g, "")
      .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => characters[name] ?? ""),
  )

/** The lines of all cues. Whatever stands before the first, and in notes and styles, is left out. */
const linesOf = (text: string): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  let cue: Pick<Line, "start" | "end"> | undefined
  let speaker = ""
  for (const line of text.split(/\r\n?|\n/)) {
    const time = timing.exec(line)
    if (time !== null) {
      cue = { start: seconds(time[1], time[2], time[3]), end: seconds(time[5], time[6], time[7]) }
      speaker = ""
    } else if (line.trim() === "") cue = undefined
    else if (cue !== undefined) {
      speaker = /<v(?:\.[\w.-]+)?[ \t]+([^<>]+)>/.exec(line)?.[1]?.trim() ?? speaker
      const words = plain(line)
      if (words !== "") lines.push({ ...cue, text: words, speaker })
    }
  }
  return lines
}

/** Number of lines before a line that it may repeat: captions that roll show each line two or three times. */
const ROLLING_LINES = 3
const withoutRepeats = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> =>
  lines.filter(
    ({ start, text }, index) =>
      !lines
        .slice(Math.max(0, index - ROLLING_LINES), index)
        .some((before) => before.text === text && start - before.end < 1),
  )

/** A silence of so many seconds ends a paragraph; so does the end of a sentence after so many characters or seconds. */
const SILENCE = 4
const PARAGRAPH_CHARACTERS = 400
const PARAGRAPH_SECONDS = 45
/** A paragraph without the end of a sentence ends after so many characters. */
const MAX_PARAGRAPH_CHARACTERS = 1_000

const twoDigits = (value: number) => String(Math.floor(value)).padStart(2, "0")

const clock = (time: number): string =>
  `${twoDigits(time / 3600)}:${twoDigits((time / 60) % 60)}:${twoDigits(time % 60)}`

/**
 * Reads subtitles (SubRip, WebVTT) into paragraphs, each after the time at which it begins, so that an answer can cite
 * the place. Styles, and the lines that rolling captions repeat, are left out.
 */
export const subtitles: Reader = (bytes): Draft => {
  const paragraphs: Array<string> = []
  let words: Array<string> = []
  let [start, end, length, speaker] = [0, 0, 0, ""]
  const flush = () => {
    if (words.length > 0) paragraphs.push(`[${clock(start)}] ${speaker === "" ? "" : `${speaker}: `}${words.join(" ")}`)
    ;[words, length] = [[], 0]
  }
  for (const line of withoutRepeats(linesOf(decodeText(bytes)))) {
    const isLong = length > PARAGRAPH_CHARACTERS || line.start - start > PARAGRAPH_SECONDS
    const isEnd = isLong && /[.!?…。！？]["'”’»)]*$/.test(words.at(-1) ?? "")
    const isNew = line.start - end > SILENCE || line.start < start || line.speaker !== speaker
    if (isNew || isEnd || length > MAX_PARAGRAPH_CHARACTERS) flush()
    if (words.length === 0) [start, speaker] = [line.start, line.speaker]
    words.push(line.text)
    length += line.text.length
    end = line.end
  }
  flush()
  return { title: undefined, text: paragraphs.join("\n\n") }
}
