import { endpointAt } from "../outbound/VersionedUrl.ts"

/** The purpose of a text. Some models embed questions differently from documents. */
export type Purpose = "query" | "document"

interface EmbeddingRequest {
  readonly model: string
  readonly texts: ReadonlyArray<string>
  readonly purpose: Purpose
  /** The dimension of the vectors; undefined for the model's default. */
  readonly dimensions: number | undefined
  readonly encoding: Encoding
}

/** The forms in which vectors are asked for, the shortest first. Some servers refuse to be asked for any. */
export const ENCODINGS = ["base64", "float", undefined] as const
type Encoding = (typeof ENCODINGS)[number]

/** The request format of a provider. All providers answer `{data: [{index, embedding}]}`. */
export interface Provider {
  /** The base URL, unless a setting replaces it. */
  readonly baseUrl: string
  readonly bodyOf: (request: EmbeddingRequest) => object
  /** `unrelatedCosine` of `Embeddings`, as the provider's current models have it. Other models differ a little. */
  readonly unrelatedCosine: number
}

export type ProviderName = "openai" | "voyage"

export const providers: { readonly [Name in ProviderName]: Provider } = {
  /** OpenAI and compatible servers: https://platform.openai.com/docs/api-reference/embeddings. */
  openai: {
    baseUrl: "https://api.openai.com/v1",
    bodyOf: ({ model, texts, dimensions, encoding }) => ({
      model,
      input: texts,
      ...(encoding !== undefined && { encoding_format: encoding }),
      ...(dimensions !== undefined && { dimensions }),
    }),
    unrelatedCosine: 0.2,
  },
  /** Voyage: https://docs.voyageai.com/reference/embeddings-api. */
  voyage: {
    baseUrl: "https://api.voyageai.com/v1",
    bodyOf: ({ model, texts, purpose, dimensions, encoding }) => ({
      model,
      input: texts,
      input_type: purpose,
      ...(encoding !== undefined && { encoding_format: encoding }),
      ...(dimensions !== undefined && { output_dimension: dimensions }),
    }),
    unrelatedCosine: 0.3,
  },
}

/** The URL of embeddings below a base URL. */
export const endpointOf = (baseUrl: string): string => endpointAt(baseUrl, "/embeddings")
