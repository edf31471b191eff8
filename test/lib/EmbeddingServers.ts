import type { Answer, Recorded } from "./FakeEmbeddings.ts"

/*
 * How embedding servers refuse requests, in the words that their users have reported.
 */

/** Answers as a server does; undefined for vectors. */
type Server = (request: Recorded) => Answer | undefined

const says = (status: number, body: string | object): Answer => ({ kind: "says", status, body })

/** The tokens of a text, as of most texts in Latin letters. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4)
const most = (texts: ReadonlyArray<string>): number => Math.max(...texts.map(tokensOf))
const sum = (texts: ReadonlyArray<string>): number => texts.reduce((total, text) => total + tokensOf(text), 0)

/** Servers that take fewer texts at once. */
export const smallBatches: Readonly<Record<string, Server>> = {
  "text-embeddings-inference": ({ texts }) =>
    texts.length > 32
      ? says(413, {
          message: `batch size ${texts.length} > maximum allowed batch size 32`,
          code: 413,
          type: "Validation",
        })
      : undefined,
  "LiteLLM before it": ({ texts }) =>
    texts.length > 32
      ? says(422, {
          error: {
            message: `litellm.BadRequestError: OpenAIException - Error code: 422 - {'message': 'batch size ${texts.length} > maximum allowed batch size 32', 'code': 422, 'type': 'Validation'}`,
            type: null,
            param: null,
            code: "422",
          },
        })
      : undefined,
  Azure: ({ texts }) =>
    texts.length > 16
      ? says(400, {
          error: {
            message:
              "Too many inputs. The max number of inputs is 16.  We hope to increase the number of inputs per request soon.",
            type: "invalid_request_error",
            param: null,
            code: null,
          },
        })
      : undefined,
  DashScope: ({ texts }) =>
    texts.length > 10
      ? says(400, {
          error: {
            code: "InvalidParameter",
            param: null,
            message:
              "<400> InternalError.Algo.InvalidParameter: Value error, batch size is invalid, it should not be larger than 10.: input.contents",
            type: "InvalidParameter",
          },
        })
      : undefined,
  "SiliconFlow with a success": ({ texts }) =>
    texts.length > 64
      ? says(200, {
          code: 20042,
          message: `input batch size ${texts.length} > maximum allowed batch size 64`,
          data: null,
        })
      : undefined,
  Cohere: ({ texts }) =>
    texts.length > 96
      ? says(400, {
          message: `invalid request: total number of texts must be at most 96 - received ${texts.length}`,
        })
      : undefined,
  Gemini: ({ texts }) =>
    texts.length > 100
      ? says(400, [
          {
            error: {
              code: 400,
              message: "* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n",
              status: "INVALID_ARGUMENT",
            },
          },
        ])
      : undefined,
  FastAPI: ({ texts }) =>
    texts.length > 20
      ? says(422, {
          detail: [
            {
              type: "too_long",
              loc: ["body", "input"],
              msg: `List should have at most 20 items after validation, not ${texts.length}`,
              input: texts,
            },
          ],
        })
      : undefined,
  Voyage: ({ texts }) =>
    sum(texts) > 4_000
      ? says(400, {
          detail: `Request to model 'voyage-3-large' failed. The max allowed tokens per submitted batch is 4000. Your batch has ${sum(texts)} tokens after truncation. Please lower the number of tokens in the batch.`,
        })
      : undefined,
  Mistral: ({ texts }) =>
    sum(texts) > 4_000
      ? says(400, {
          object: "error",
          message: `Too many tokens in batch. Max is 4000 got ${sum(texts)}`,
          type: "invalid_request_error",
          param: null,
          code: null,
        })
      : undefined,
  "a gateway with a limit of bytes": ({ texts }) =>
    sum(texts) > 4_000 ? says(413, "<html><head><title>413 Request Entity Too Large</title></head></html>") : undefined,
  "a server without words": ({ texts }) => (texts.length > 25 ? says(400, "Bad Request") : undefined),
  "a server that fails": ({ texts }) => (texts.length > 25 ? says(500, "Internal Server Error") : undefined),
  "a server that embeds the first texts only": ({ texts }) =>
    texts.length > 8 ? { kind: "vectors", spoil: (items) => items.slice(0, 8) } : undefined,
}

/** Servers that take no text of more than 128 tokens. */
export const shortTexts: Readonly<Record<string, Server>> = {
  "llama.cpp": ({ texts }) =>
    most(texts) > 128
      ? says(500, {
          error: {
            code: 500,
            message: `input (${most(texts)} tokens) is too large to process. increase the physical batch size (current batch size: 128)`,
            type: "server_error",
          },
        })
      : undefined,
  "llama.cpp of old": ({ texts }) =>
    most(texts) > 128
      ? says(500, {
          error: {
            code: 500,
            message: "input is too large to process. increase the physical batch size",
            type: "server_error",
          },
        })
      : undefined,
  Ollama: ({ texts }) =>
    most(texts) > 128 ? says(400, { error: "the input length exceeds the context length" }) : undefined,
  "Ollama of old": ({ texts }) =>
    most(texts) > 128 ? says(500, { error: "input length exceeds maximum context length" }) : undefined,
  vLLM: ({ texts }) =>
    most(texts) > 128
      ? says(400, {
          object: "error",
          message: `This model's maximum context length is 128 tokens. However, you requested ${most(texts)} tokens in the input for embedding generation. Please reduce the length of the input.`,
          type: "BadRequestError",
          param: null,
          code: 400,
        })
      : undefined,
  OpenAI: ({ texts }) =>
    most(texts) > 128
      ? says(400, {
          error: {
            message: `This model's maximum context length is 128 tokens, however you requested ${most(texts)} tokens (${most(texts)} in your prompt; 0 for the completion). Please reduce your prompt; or completion length.`,
            type: "invalid_request_error",
            param: null,
            code: null,
          },
        })
      : undefined,
  "text-embeddings-inference": ({ texts }) =>
    most(texts) > 128
      ? says(413, {
          message: `Input validation error: \`inputs\` must have less than 128 tokens. Given: ${most(texts)}`,
          code: 413,
          type: "Validation",
        })
      : undefined,
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
