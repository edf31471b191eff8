import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import { Duration, Effect, type Layer, Predicate, Redacted, type Scope } from "effect"
import { Embeddings } from "../../src/embeddings/Embeddings.ts"
import { embedLocally } from "../../src/embeddings/LocalEmbedding.ts"
import * as RemoteEmbeddings from "../../src/embeddings/RemoteEmbeddings.ts"
import { bounded } from "../../src/text/BoundedText.ts"
import { defaults } from "./Defaults.ts"
import { quiet } from "./Layers.ts"

/*
 * A server that speaks the embedding protocols of OpenAI and Voyage over HTTP, with their faults. Requests that the
 * real ones refuse are refused here too. It uses `node:http` and not `Bun.serve`, because faults need the bare socket.
 */

export const fakeEmbeddingsKey = "pa-fake-embedding-key"

/** How the server answers one request. */
export type Answer =
  | { readonly kind: "vectors"; readonly as?: "asked" | "floats"; readonly order?: "shuffled"; readonly spoil?: Spoil }
  | { readonly kind: "status"; readonly status: number; readonly headers?: Record<string, string> }
  /** A refusal in the words of a server: JSON, or text as it is. */
  | { readonly kind: "says"; readonly status: number; readonly body: string | object }
  /** This body with status 200. */
  | { readonly kind: "raw"; readonly body: string }
  | { readonly kind: "oversize" }
  | { readonly kind: "hang" }
  | { readonly kind: "reset" }

/** Changes the items of an otherwise correct answer. */
export type Spoil = (items: Array<{ index: number; embedding: Array<number> }>) => ReadonlyArray<unknown>

export interface Recorded {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>>
  readonly texts: ReadonlyArray<string>
}

/** A running fake server. */
export interface FakeEmbeddings {
  readonly url: string
  readonly requests: ReadonlyArray<Recorded>
  /** Sets how requests are answered, and forgets those so far. For `undefined`, the answer is vectors. */
  readonly answer: (by: (request: Recorded, number: number) => Answer | undefined) => void
}

/** Makes the vector of a text. */
export type VectorOf = (text: string, dimensions: number) => ReadonlyArray<number>

/**
 * Starts a fake server. Its vectors have the given number of dimensions, unless a request asks for another one. By
 * default, equal texts have equal vectors, and similar texts have near ones.
 */
export const fakeEmbeddings = (
  dimensions = 8,
  vectorOf: VectorOf = fakeVector,
): Effect.Effect<FakeEmbeddings, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => start(dimensions, vectorOf)),
    ({ close }) => Effect.promise(close),
  )

const start = async (dimensions: number, vectorOf: VectorOf) => {
  const requests: Array<Recorded> = []
  let answerOf: (request: Recorded, number: number) => Answer | undefined = () => undefined
  const server = createServer(async (incoming, response) => {
    let text = ""
    for await (const part of incoming) text += String(part)
    const json: unknown = JSON.parse(text)
    const body: Readonly<Record<string, unknown>> = Predicate.isObject(json) ? { ...json } : {}
    const input: ReadonlyArray<unknown> = Array.isArray(body["input"]) ? body["input"] : []
    const request = { path: incoming.url ?? "", headers: incoming.headers, body, texts: input.map(String) }
    requests.push(request)
    send(
      response,
      request,
      refusalOf(request) ?? answerOf(request, requests.length) ?? { kind: "vectors" },
      dimensions,
      vectorOf,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`,
    requests,
    answer: (by: typeof answerOf) => {
      answerOf = by
      requests.length = 0
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The refusal of a request that both providers would refuse; undefined for any other. */
const refusalOf = ({ path, headers, texts, body }: Recorded): Answer | undefined => {
  if (path !== "/v1/embeddings") return { kind: "status", status: 404 }
  if (headers.authorization !== `Bearer ${fakeEmbeddingsKey}`) return { kind: "status", status: 401 }
  const isFine = texts.length > 0 && texts.length <= 128 && texts.every((text) => text !== "") && "model" in body
  return isFine ? undefined : { kind: "status", status: 400 }
}

/** Makes a vector by folding the local embedding, so that similar texts have near vectors. */
export const fakeVector = (text: string, dimensions: number): Array<number> => {
  const vector = Array.from({ length: dimensions }, () => 0)
  for (const [index, value] of embedLocally(bounded(text)).entries())
    vector[index % dimensions] = (vector[index % dimensions] ?? 0) + value
  return vector
}

const send = (response: ServerResponse, request: Recorded, answer: Answer, own: number, vectorOf: VectorOf): void => {
  switch (answer.kind) {
    case "vectors": {
      const asked = request.body["dimensions"] ?? request.body["output_dimension"]
      const dimensions = typeof asked === "number" ? asked : own
      const items = request.texts.map((text, index) => ({ index, embedding: [...vectorOf(text, dimensions)] }))
      const spoiled = answer.spoil === undefined ? items : answer.spoil(items)
      const ordered = answer.order === "shuffled" ? spoiled.toReversed() : spoiled
      const isBinary = answer.as !== "floats" && request.body["encoding_format"] === "base64"
      const data = isBinary ? ordered.map(toBase64) : ordered
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ object: "list", data, model: request.body["model"], usage: { total_tokens: 1 } }))
      return
    }
    case "status":
      response.writeHead(answer.status, answer.headers)
      response.end(JSON.stringify({ error: { message: `refused ${request.headers.authorization}` } }))
      return
    case "says":
      response.writeHead(answer.status)
      response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body))
      return
    case "raw":
      response.end(answer.body)
      return
    case "oversize": {
      const block = Buffer.alloc(1024 * 1024, " ")
      for (let count = 0; count < 40; count++) response.write(block)
      response.end("{}")
      return
    }
    case "hang":
      return
    case "reset":
      response.socket?.destroy()
  }
}

const toBase64 = (item: unknown): unknown => {
  if (!Predicate.hasProperty(item, "embedding") || !Array.isArray(item.embedding)) return item
  const numbers: ReadonlyArray<number> = item.embedding.map(Number)
  return { ...item, embedding: Buffer.from(Float32Array.from(numbers).buffer).toString("base64") }
}

/** Runs `body` with the embeddings of a fake provider. */
export const runWithEmbeddings = (
  body: (
    embeddings: Embeddings["Service"],
    fake: FakeEmbeddings,
  ) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, unknown, never>,
  settings: Partial<RemoteEmbeddings.RemoteSettings> = {},
  log: Layer.Layer<never> = quiet,
): Promise<void> =>
  Effect.gen(function* () {
    const fake = yield* fakeEmbeddings()
    const layer = RemoteEmbeddings.layer({
      ...defaults.embeddings,
      provider: "openai",
      model: "small",
      apiKey: Redacted.make(fakeEmbeddingsKey),
      baseUrl: fake.url,
      timeout: Duration.seconds(20),
      queryTimeout: Duration.seconds(20),
      ...settings,
    })
    yield* Effect.flatMap(Embeddings, (embeddings) => Effect.gen(() => body(embeddings, fake))).pipe(
      Effect.provide([layer, log]),
    )
  }).pipe(Effect.scoped, Effect.runPromise)
