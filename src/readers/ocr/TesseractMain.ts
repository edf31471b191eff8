/*
 * tesseract in WebAssembly, as a program that takes the arguments of the real one that `Tesseract.ts` needs. It reads one
 * image and ends: so its memory is free, nothing that it has learned or lost stays for the next page, and it is confined
 * and limited as the real one is.
 */
import { existsSync, readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

interface Tesseract {
  readonly FS: { readonly writeFile: (path: string, content: Uint8Array) => void }
  readonly TessBaseAPI: new () => {
    readonly Init: (directory: string, languages: string, engine: number) => number
    readonly SetPageSegMode: (mode: number) => void
    readonly SetImageFile: (orientation: number, angle: number) => number
    readonly Recognize: (monitor: null) => number
    readonly GetTSVText: (page: number) => string
    readonly GetOsdText: (page: number) => string
  }
}

/** The build that also has the engine before neural networks, which alone tells scripts and orientations. */
const CORE = "tesseract.js-core/tesseract-core-simd.js"
const LEGACY_ENGINE = 0
const NEURAL_ENGINE = 1
/** Its name among the languages. */
const SCRIPTS = "osd"
const ONLY_SCRIPTS = "0"

/** Where packages with the data of languages are installed, beside those that this program depends on. */
const PACKAGES = fileURLToPath(new URL("../../../node_modules/@tesseract.js-data", import.meta.url))
/** Their folders, of which the first has the smaller data. */
const FOLDERS = ["4.0.0_best_int", "4.0.0"]

const dataOf = (language: string): string | undefined =>
  FOLDERS.map((folder) => `${PACKAGES}/${language}/${folder}/${language}.traineddata.gz`).find(existsSync)

const fail = (why: string): never => {
  throw new Error(why)
}

const read = async (languages: string, mode: string): Promise<string> => {
  const path = fileURLToPath(import.meta.resolve(CORE))
  const { default: load }: { readonly default: (options: object) => Promise<Tesseract> } = await import(path)
  const wasmBinary = await Bun.file(path.replace(/js$/, "wasm")).bytes()
  const silence = () => {}
  const { FS, TessBaseAPI } = await load({ wasmBinary, print: silence, printErr: silence })
  for (const language of new Set([...languages.split("+"), SCRIPTS])) {
    const data = dataOf(language)
    if (data !== undefined) FS.writeFile(`/${language}.traineddata`, Bun.gunzipSync(await Bun.file(data).bytes()))
  }
  const api = new TessBaseAPI()
  const engine = mode === ONLY_SCRIPTS ? LEGACY_ENGINE : NEURAL_ENGINE
  if (api.Init("/", languages, engine) !== 0) return fail("The languages are not there.")
  FS.writeFile("/input", await Bun.stdin.bytes())
  api.SetPageSegMode(Number(mode))
  if (api.SetImageFile(1, 0) !== 0) return fail("The image is damaged.")
  if (mode === ONLY_SCRIPTS) return api.GetOsdText(0) || fail("The page has too few letters.")
  if (api.Recognize(null) !== 0) return fail("The image is not recognized.")
  return api.GetTSVText(0)
}

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    "list-langs": { type: "boolean" },
    language: { type: "string", short: "l", default: SCRIPTS },
    psm: { type: "string", default: "3" },
  },
})
const listed = () => readdirSync(PACKAGES).filter((language) => dataOf(language) !== undefined)
await Bun.write(
  Bun.stdout,
  values["list-langs"] === true ? ["Languages:", ...listed()].join("\n") : await read(values.language, values.psm),
)
process.exit()
