import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { builtPages } from "./BuiltPages.ts"
import { LOADER, Manifest, MANIFEST } from "../../src/http/web/Manifest.ts"

/*
 * Checks what browsers load before anything shows: the loader, the widget and the console with its largest screen, and
 * then what makes voice calls, each compressed with gzip. `bun test/lib/sizes.ts` builds this checkout, and so does
 * `bun run verify`.
 */

/** The most bytes of each. */
const LIMITS = { loader: 4_000, widget: 48_300, voice: 40_000, console: 120_000 } as const

const directory = await builtPages()
const { files } = Schema.decodeSync(Schema.fromJsonString(Manifest))(readFileSync(join(directory, MANIFEST), "utf8"))
const bytesOf = (names: ReadonlyArray<string>) =>
  names.reduce((sum, name) => sum + statSync(join(directory, `${name}.gzip`)).size, 0)
const frame = ["frame.js", "frame.css"]
// Loaded on the first click on the button of a call.
const voice = ["voice.js", "voice-worklet.js"]
const page = ["console.js", "console.css"]
const first = new Set([LOADER, ...frame, ...voice, ...page])
// The largest of what is loaded later: what the screens of the console have in common, and one of them.
const later = Object.keys(files)
  .filter((name) => /\.(?:js|css)$/.test(name) && !first.has(name))
  .map((name) => bytesOf([name]))
  .toSorted((one, other) => other - one)
const sizes = {
  loader: bytesOf([LOADER]),
  widget: bytesOf(frame),
  voice: bytesOf(voice),
  console: bytesOf(page) + (later[0] ?? 0) + (later[1] ?? 0),
}
for (const name of ["loader", "widget", "voice", "console"] as const) {
  const isTooLarge = sizes[name] > LIMITS[name]
  console.log(
    `${name.padEnd(8)}${String(sizes[name]).padStart(7)} of ${LIMITS[name]} bytes${isTooLarge ? ": too large" : ""}`,
  )
  if (isTooLarge) process.exitCode = 1
}
