import type { Answer, Recorded } from "../lib/FakeEmbeddings.ts"

/*
 * How embedding servers refuse requests, in the words that their users have reported.
 */

/** Answers as a server does; undefined for vectors. */
type Server = (request: Recorded) => Answer | undefined

const says = (status: number, body: string | object): Answer => ({ kind: "says", status, body })

/** The tokens of a text, as of most texts in Latin letters. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4)

/** Makes a server that refuses requests of more than so much, with a status and a body that tells how much it was. */
const limited =
  (measure: (texts: ReadonlyArray<string>) => number) =>
  (most: number, status: number, body: (size: number, texts: ReadonlyArray<string>) => string | object): Server =>
  ({ texts }) => {
    const size = measure(texts)
    return size > most ? says(status, body(size, texts)) : undefined
  }
/** By the number of texts, by the tokens of all of them, and by those of the longest. */
const texts = limited(({ length }) => length)
const inAll = limited((all) => all.reduce((total, text) => total + tokensOf(text), 0))
const inOne = limited((all) => Math.max(...all.map(tokensOf)))

/** Servers that take fewer texts at once. */
export const smallBatches: Readonly<Record<string, Server>> = {
  "text-embeddings-inference": texts(32, 413, (count) => ({
    message: `batch size ${count} > maximum allowed batch size 32`,
    code: 413,
    type: "Validation",
  })),
  "LiteLLM before it": texts(32, 422, (count) => ({
    error: {
      message: `litellm.BadRequestError: OpenAIException - Error code: 422 - {'message': 'batch size ${count} > maximum allowed batch size 32', 'code': 422, 'type': 'Validation'}`,
      type: null,
      param: null,
      code: "422",
    },
  })),
  Azure: texts(16, 400, () => ({
    error: {
      message:
        "Too many inputs. The max number of inputs is 16.  We hope to increase the number of inputs per request soon.",
      type: "invalid_request_error",
      param: null,
      code: null,
    },
  })),
  DashScope: texts(10, 400, () => ({
    error: {
      code: "InvalidParameter",
      param: null,
      message:
        "<400> InternalError.Algo.InvalidParameter: Value error, batch size is invalid, it should not be larger than 10.: input.contents",
      type: "InvalidParameter",
    },
  })),
  "SiliconFlow with a success": texts(64, 200, (count) => ({
    code: 20042,
    message: `input batch size ${count} > maximum allowed batch size 64`,
    data: null,
  })),
  Cohere: texts(96, 400, (count) => ({
    message: `invalid request: total number of texts must be at most 96 - received ${count}`,
  })),
  Gemini: texts(100, 400, () => [
    {
      error: {
        code: 400,
        message: "* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n",
        status: "INVALID_ARGUMENT",
      },
    },
  ]),
  FastAPI: texts(20, 422, (count, input) => ({
    detail: [
      {
        type: "too_long",
        loc: ["body", "input"],
        msg: `List should have at most 20 items after validation, not ${count}`,
        input,
      },
    ],
  })),
  Voyage: inAll(4_000, 400, (tokens) => ({
    detail: `Request to model 'voyage-3-large' failed. The max allowed tokens per submitted batch is 4000. Your batch has ${tokens} tokens after truncation. Please lower the number of tokens in the batch.`,
  })),
  Mistral: inAll(4_000, 400, (tokens) => ({
    object: "error",
    message: `Too many tokens in batch. Max is 4000 got ${tokens}`,
    type: "invalid_request_error",
    param: null,
    code: null,
  })),
  "a gateway with a limit of bytes": inAll(
    4_000,
    413,
    () => "<html><head><title>413 Request Entity Too Large</title></head></html>",
  ),
  "a server without words": texts(25, 400, () => "Bad Request"),
  "a server that fails": texts(25, 500, () => "Internal Server Error"),
  "a server that embeds the first texts only": ({ texts }) =>
    texts.length > 8 ? { kind: "vectors", spoil: (items) => items.slice(0, 8) } : undefined,
}

/** Servers that take no text of more than 128 tokens. */
export const shortTexts: Readonly<Record<string, Server>> = {
  "llama.cpp": inOne(128, 500, (tokens) => ({
    error: {
      code: 500,
      message: `input (${tokens} tokens) is too large to process. increase the physical batch size (current batch size: 128)`,
      type: "server_error",
    },
  })),
  "llama.cpp of old": inOne(128, 500, () => ({
    error: {
      code: 500,
      message: "input is too large to process. increase the physical batch size",
      type: "server_error",
    },
  })),
  Ollama: inOne(128, 400, () => ({ error: "the input length exceeds the context length" })),
  "Ollama of old": inOne(128, 500, () => ({ error: "input length exceeds maximum context length" })),
  vLLM: inOne(128, 400, (tokens) => ({
    object: "error",
    message: `This model's maximum context length is 128 tokens. However, you requested ${tokens} tokens in the input for embedding generation. Please reduce the length of the input.`,
    type: "BadRequestError",
    param: null,
    code: 400,
  })),
  OpenAI: inOne(128, 400, (tokens) => ({
    error: {
      message: `This model's maximum context length is 128 tokens, however you requested ${tokens} tokens (${tokens} in your prompt; 0 for the completion). Please reduce your prompt; or completion length.`,
      type: "invalid_request_error",
      param: null,
      code: null,
    },
  })),
  "text-embeddings-inference": inOne(128, 413, (tokens) => ({
    message: `Input validation error: \`inputs\` must have less than 128 tokens. Given: ${tokens}`,
    code: 413,
    type: "Validation",
  })),
}

/** Servers that refuse to be asked for base64, and one that is asked for no form at all. */
export const withoutBase64: Readonly<Record<string, Server>> = {
  "LlamaCpp.Bindings": ({ body }) =>
    body["encoding_format"] === "base64"
      ? says(400, { error: { message: "encoding_format 'base64' is not supported.", type: "invalid_request_error" } })
      : undefined,
  FastAPI: ({ body }) =>
    body["encoding_format"] === "base64"
      ? says(422, {
          detail: [
            {
              type: "literal_error",
              loc: ["body", "encoding_format"],
              msg: "Input should be 'float'",
              input: "base64",
            },
          ],
        })
      : undefined,
  "LiteLLM before Gemini": ({ body }) =>
    "encoding_format" in body
      ? says(400, {
          error: {
            message: `litellm.UnsupportedParamsError: gemini does not support parameters: {'encoding_format': '${String(body["encoding_format"])}'}, for model=gemini-embedding-001. To drop these, set \`litellm.drop_params=True\``,
            type: "None",
            param: "None",
            code: "400",
          },
        })
      : undefined,
  "a server without words": ({ body }) => ("encoding_format" in body ? says(422, "Unprocessable Entity") : undefined),
}

/** Servers that cannot embed anything before somebody helps, and what a document says meanwhile. */
export const broken: Readonly<Record<string, { readonly answer: Answer; readonly reason: string }>> = {
  "Ollama without the model": {
    answer: says(404, {
      error: { message: 'model "nomic" not found, try pulling it first', type: "api_error", param: null, code: null },
    }),
    reason: 'model "nomic" not found, try pulling it first.',
  },
  "LM Studio without a model": {
    answer: says(400, {
      error: "No models loaded. Please load a model in the developer page or use the 'lms load' command.",
    }),
    reason: "No models loaded. Please load a model",
  },
  "LM Studio at another address, with a success": {
    answer: says(200, { error: "Unexpected endpoint or method. (POST /embeddings)" }),
    reason: "Unexpected endpoint or method.",
  },
  "LocalAI without embeddings": {
    answer: says(400, {
      error: { code: 500, message: "endpoint disabled for this model by API configuration", type: "" },
    }),
    reason: "endpoint disabled for this model by API configuration.",
  },
  "an account without credit": {
    answer: says(402, { error: { message: "Insufficient credits", code: 402 } }),
    reason: "Insufficient credits.",
  },
  "a key that is repeated": {
    answer: says(401, { error: { message: "Incorrect API key provided: pa-fake-embedding-key." } }),
    reason: "Incorrect API key provided: [key].",
  },
  "a website": { answer: { kind: "raw", body: "<!doctype html>" }, reason: "it is not JSON" },
}
