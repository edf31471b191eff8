import { Effect, Predicate, type Scope } from "effect"
import { listening } from "./Listening.ts"

/*
 * A server that speaks the protocols of services which rerank passages, with their faults. Requests that the real ones
 * refuse, such as those with fields of another one, are refused here too.
 */

export const fakeRerankerKey = "fake-reranker-key"

interface Item {
  readonly index: number
  readonly text: string
  readonly score: number
}

interface Form {
  readonly path: string
  /** The field of the request that holds the passages, and all fields that a request must have. */
  readonly texts: "documents" | "texts"
  readonly fields: ReadonlyArray<string>
  readonly answer: (items: ReadonlyArray<Item>) => unknown
}

const relevance = ({ index, score }: Item) => ({ index, relevance_score: score })
const bestFirst = (items: ReadonlyArray<Item>) => items.toSorted((one, other) => other.score - one.score)
const common = ["model", "query", "documents"]

/** The forms of the services, by their names. */
export const forms = {
  cohere: {
    path: "/v2/rerank",
    texts: "documents",
    fields: common,
    answer: (items) => ({
      id: "0",
      results: bestFirst(items).map(relevance),
      meta: { billed_units: { search_units: 1 } },
    }),
  },
  jina: {
    path: "/v1/rerank",
    texts: "documents",
    fields: common,
    answer: (items) => ({
      model: "jina",
      usage: { total_tokens: 1 },
      results: bestFirst(items).map((item) => ({ ...relevance(item), document: { text: item.text } })),
    }),
  },
  voyage: {
    path: "/v1/rerank",
    texts: "documents",
    fields: common,
    answer: (items) => ({ object: "list", data: bestFirst(items).map(relevance), usage: { total_tokens: 1 } }),
  },
  vllm: {
    path: "/v1/rerank",
    texts: "documents",
    fields: common,
    answer: (items) => ({
      id: "rerank-0",
      results: bestFirst(items).map((item) => ({
        ...relevance(item),
        document: { text: item.text, multi_modal: null },
      })),
    }),
  },
  // In the order of the passages, with scores of any sign.
  llama: {
    path: "/v1/rerank",
    texts: "documents",
    fields: common,
    answer: (items) => ({
      object: "list",
      results: items.map((item) => ({ ...relevance(item), relevance_score: 20 * item.score - 15 })),
    }),
  },
  tei: {
    path: "/rerank",
    texts: "texts",
    fields: ["query", "texts", "truncate"],
    answer: (items) => bestFirst(items).map(({ index, score }) => ({ index, score })),
  },
} satisfies Record<string, Form>

export type FormName = keyof typeof forms

export interface Reranking {
  readonly query: string
  readonly texts: ReadonlyArray<string>
}

/** A running fake server. */
export interface FakeReranker {
  /** The base URL, with the version of the form. */
  readonly url: string
  readonly requests: Array<Reranking>
  /** Scores a passage. By default the last one is best. */
  scoreOf: (text: string, index: number, texts: ReadonlyArray<string>) => number
  /** Answers in place of the service; undefined to serve. */
  misbehave: ((usual: unknown) => Response | Promise<Response>) | undefined
}

/** Starts a fake server that speaks in one form. */
export const fakeReranker = Effect.fnUntraced(function* (
  name: FormName,
): Effect.fn.Return<FakeReranker, never, Scope.Scope> {
  const form: Form = forms[name]
  const url = yield* listening(async (request) => {
    const body: unknown = await request.json()
    if (new URL(request.url).pathname !== form.path) return new Response("", { status: 404 })
    if (request.headers.get("authorization") !== `Bearer ${fakeRerankerKey}`) return new Response("", { status: 401 })
    if (!Predicate.isObject(body)) return new Response("", { status: 400 })
    const fields: Readonly<Record<string, unknown>> = { ...body }
    const given = fields[form.texts]
    if (Object.keys(fields).toSorted().join() !== [...form.fields].toSorted().join() || !Array.isArray(given)) {
      return new Response("", { status: 422 })
    }
    const texts = given.map(String)
    fake.requests.push({ query: String(fields["query"]), texts })
    const usual = form.answer(texts.map((text, index) => ({ index, text, score: fake.scoreOf(text, index, texts) })))
    return fake.misbehave === undefined ? Response.json(usual) : fake.misbehave(usual)
  })
  const fake: FakeReranker = {
    url: `${url}${form.path.replace(/\/rerank$/, "")}`,
    requests: [],
    scoreOf: (_, index, texts) => (index + 1) / texts.length,
    misbehave: undefined,
  }
  return fake
})
