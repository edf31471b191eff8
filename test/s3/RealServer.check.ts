import { beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer, Redacted, Stream } from "effect"
import { BlobStore } from "../../src/blobs/BlobStore.ts"
import * as ChosenBlobStore from "../../src/blobs/ChosenBlobStore.ts"
import { S3Bounds } from "../../src/blobs/s3/S3Settings.ts"
import { S3Client } from "../../src/blobs/s3/S3Client.ts"
import { Client } from "../lib/Client.ts"
import { platform } from "../lib/Layers.ts"
import { scopedRun } from "../lib/Scoped.ts"
import { operatorKey, serverProcess, settingsFor } from "../lib/ServerProcess.ts"
import { fresh } from "../lib/TestDatabase.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"

/*
 * The S3 store against a real server, which `S3_ENDPOINT`, `S3_ACCESS_KEY_ID` and `S3_SECRET_ACCESS_KEY` name: see
 * `.ci/radosgw.sh`. Ranges are left to the tests with a server of our own: the gateway without a cluster begins every
 * range at 0.
 */

const run = scopedRun()
const variable = (name: string) => process.env[name] ?? ""
const bucket = `parley-${crypto.randomUUID()}`
const credentials = {
  accessKeyId: variable("S3_ACCESS_KEY_ID"),
  secretAccessKey: Redacted.make(variable("S3_SECRET_ACCESS_KEY")),
}
const s3 = {
  endpoint: variable("S3_ENDPOINT"),
  bucket,
  region: "us-east-1",
  style: "path",
} as const
const directory = await run(temporaryDirectory("s3"))
const layerOf = (changes: Partial<ChosenBlobStore.BlobStoreSettings["s3"]> = {}) =>
  ChosenBlobStore.layer({ kind: "s3", directory, s3: { ...s3, ...credentials, ...changes } }).pipe(
    Layer.provide(platform),
  )
const store = <A, E>(work: (store: BlobStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provide(BlobStore.use(work), layerOf()))

beforeAll(async () => {
  const made = Effect.flatMap(S3Bounds, (bounds) =>
    new S3Client({ ...s3, credentials, directory }, bounds).call({ method: "PUT" }),
  )
  await Effect.runPromise(made)
})

describe("a real S3 server", () => {
  test.each([0, 1, 65_536, 9_000_001])("gives back a file of %d bytes, until it is deleted", async (length) => {
    const content = new Uint8Array(length).map((_, index) => index * 7 + (index >> 9))
    const key = `documents/${crypto.randomUUID()}`
    await store((files) => files.put(key, Stream.fromIterable([content.subarray(0, 10), content.subarray(10)])))
    expect(await store((files) => files.info(key))).toMatchObject({ key, bytes: length })
    expect(Bun.hash(await store((files) => files.get(key)))).toBe(Bun.hash(content))
    await store((files) => Effect.andThen(files.remove(key), files.remove(key)))
    expect(await store((files) => files.info(key))).toBeUndefined()
    expect(
      await Effect.runPromise(Effect.provide(Effect.flip(BlobStore.use(({ get }) => get(key))), layerOf())),
    ).toMatchObject({
      _tag: "BlobNotFound",
    })
  })

  test("lists more than a page of keys, and none of other prefixes", async () => {
    const keys = Array.from({ length: 1_030 }, (_, index) => `listed/${index}`)
    await store((files) =>
      Effect.forEach([...keys, "listed-too/a", "listed/deep/a"], (key) => files.put(key, Stream.empty), {
        concurrency: 8,
      }),
    )
    const pages = await store((files) => Stream.runCollect(files.list("listed/")))
    expect(
      pages
        .flat()
        .map(({ key }) => key)
        .toSorted(),
    ).toEqual(keys.toSorted())
  })

  test("refuses a wrong secret, an unknown key and a missing bucket, which the start says", async () => {
    const failure = (changes: Parameters<typeof layerOf>[0]) =>
      Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(layerOf(changes))))).then(({ message }) => message)
    expect(await failure({ secretAccessKey: Redacted.make("wrong") })).toContain("refuses the signature")
    expect(await failure({ accessKeyId: "nobody" })).toContain("does not know the access key")
    expect(await failure({ bucket: "there-is-none" })).toContain("There is no bucket there-is-none")
  })

  test("serves a whole story: upload, search, avatar, replacement, deletion, kill and doctor", async () => {
    const settings = {
      ...(await run(Effect.flatMap(fresh, settingsFor))),
      BLOBS: "s3",
      S3_ENDPOINT: s3.endpoint,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: variable("S3_SECRET_ACCESS_KEY"),
    }
    const keysOf = async (prefix: string) =>
      (await store((files) => Stream.runCollect(files.list(prefix)))).flat().map(({ key }) => key)
    let server = await run(serverProcess(settings))
    let client = new Client(await server.listening, operatorKey)
    const { id } = await client.newChatbot()
    const pages = Array.from({ length: 200 }, (_, page) => `Cabin ${page} has a view of the sea.`).join("\n\n")
    const [small] = await client.learn(id, { "ship.txt": "The ship sails at noon.", "cabins.txt": pages })
    expect(await client.found(id, "When does the ship sail?")).not.toEqual([])
    expect(await keysOf("documents/")).toHaveLength(2)

    server.kill("SIGKILL")
    await server.exited
    server = await run(serverProcess(settings))
    client = new Client(await server.listening, operatorKey)
    expect((await client.replace(id, small?.id ?? "", "ship.txt", "The ship sails at midnight.")).status).toBe(200)
    expect((await client.found(id, "When does the ship sail?")).join()).toContain("midnight")

    const form = new FormData()
    const image = await Bun.file(new URL("../../src/web/icon.svg", import.meta.url)).bytes()
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...image])
    form.set("avatar", new Blob([png]), "a.png")
    expect((await client.patch(`/api/external/chatbot/${id}/update-avatar`, { form })).status).toBe(200)
    const [avatar = ""] = await keysOf("avatars/")
    expect((await client.get(`/${avatar}`)).status).toBe(200)

    expect((await client.delete(`/api/external/chatbot/${id}`)).status).toBe(200)
    expect([...(await keysOf("documents/")), ...(await keysOf("avatars/"))]).toEqual([])
    server.kill("SIGTERM")
    await server.exited
    const doctor = await run(serverProcess(settings, ["doctor"]))
    expect(await doctor.exited).toBe(0)
  })
})
