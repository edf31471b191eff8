import { decodeHTMLStrict } from "entities/decode"
import { decodeText } from "./Decode.ts"
import type { Draft, Reader } from "./Extraction.ts"
import { oneLine } from "./Text.ts"

/** A line of subtitles with the times in seconds between which it shows, or lines joined into a paragraph. */
interface Line {
  readonly start: number
  end: number
  text: string
  readonly speaker: string
}

const TIME = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}`
const timing = new RegExp(`^\\s*${TIME}[ \\t]*-->[ \\t]*${TIME}`)
const voice = /<v(?:\.[\w.-]+)?[ \t]+([^<>]+)>/

/** Removes tags such as `<i>` and `{\an8}`, and decodes the references that WebVTT has. */
const plain = (line: string): string => oneLine(decodeHTMLStrict(line.replace(/<[^<>]*>|\{\\[^{}]*\}/g, "")))

const seconds = (hours = "0", minutes = "0", rest = "0"): number =>
  Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)

/** The lines of all cues. What stands before the first, and in notes and styles, is left out. */
const linesOf = (text: string): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  let cue: Line | undefined
  for (const line of text.split(/\r\n?|\n/)) {
    const time = timing.exec(line)
    if (time !== null) {
      const [start, end] = [seconds(time[1], time[2], time[3]), seconds(time[4], time[5], time[6])]
      cue = { start, end, text: "", speaker: "" }
    } else if (line.trim() === "") cue = undefined
    else if (cue !== undefined) {
      cue = { ...cue, text: plain(line), speaker: voice.exec(line)?.[1]?.trim() ?? cue.speaker }
      if (cue.text !== "") lines.push(cue)
    }
  }
  return lines
}

/** The number of lines before a line that it may repeat: captions that roll show each line two or three times. */
const ROLLING_LINES = 3

/** A silence of so many seconds ends a paragraph; so does the end of a sentence after so many characters or seconds. */
const SILENCE = 4
const PARAGRAPH_CHARACTERS = 400
const PARAGRAPH_SECONDS = 45
/** A paragraph without the end of a sentence ends after so many characters. */
const MAX_PARAGRAPH_CHARACTERS = 1_000

const beginsParagraph = (before: Line, line: Line): boolean => {
  const { length } = before.text
  const isLong = length > PARAGRAPH_CHARACTERS || line.start - before.start > PARAGRAPH_SECONDS
  const isEnd = isLong && /[.!?…。！？]["'”’»)]*$/.test(before.text)
  const isSilent = line.start - before.end > SILENCE || line.start < before.start
  return isEnd || isSilent || line.speaker !== before.speaker || length > MAX_PARAGRAPH_CHARACTERS
}

const clock = (time: number): string =>
  [time / 3600, (time / 60) % 60, time % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":")

/**
 * Reads subtitles (SubRip, WebVTT) into paragraphs, each after the time at which it begins, so that an answer can cite
 * the place. Styles, and the lines that rolling captions repeat, are left out.
 */
export const subtitles: Reader = (bytes): Draft => {
  const lines = linesOf(decodeText(bytes))
  const paragraphs: Array<Line> = []
  for (const [index, line] of lines.entries()) {
    const before = lines.slice(Math.max(0, index - ROLLING_LINES), index)
    if (before.some(({ end, text }) => text === line.text && line.start - end < 1)) continue
    const paragraph = paragraphs.at(-1)
    if (paragraph === undefined || beginsParagraph(paragraph, line)) paragraphs.push({ ...line })
    else {
      paragraph.text += ` ${line.text}`
      paragraph.end = line.end
    }
  }
  const texts = paragraphs.map(({ speaker, start, text }) => `[${clock(start)}] ${speaker && `${speaker}: `}${text}`)
  return { title: undefined, text: texts.join("\n\n") }
}
