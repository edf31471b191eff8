import { withVersion } from "../outbound/VersionedUrl.ts"

/** What a text is for: some models embed a question otherwise than what answers it. */
export type Purpose = "query" | "document"

export interface EmbeddingRequest {
  readonly model: string
  readonly texts: ReadonlyArray<string>
  readonly purpose: Purpose
  /** Absent: as many as the model makes of itself. */
  readonly dimensions: number | undefined
}

/** How a provider is asked: both answer `{data: [{index, embedding}]}`. */
export interface Provider {
  /** Where it is asked, unless a setting says otherwise. */
  readonly baseUrl: string
  readonly bodyOf: (request: EmbeddingRequest) => object
  /** As in `Embeddings`. Of today's models; what lies between theirs and another's moves the threshold a little. */
  readonly unrelatedCosine: number
}

export type ProviderName = "openai" | "voyage"

export const providers: { readonly [Name in ProviderName]: Provider } = {
  /** https://platform.openai.com/docs/api-reference/embeddings, and whoever speaks the same. */
  openai: {
    baseUrl: "https://api.openai.com/v1",
    bodyOf: ({ model, texts, dimensions }) => ({
      model,
      input: texts,
      encoding_format: "base64",
      ...(dimensions !== undefined && { dimensions }),
    }),
    unrelatedCosine: 0.2,
  },
  /** https://docs.voyageai.com/reference/embeddings-api */
  voyage: {
    baseUrl: "https://api.voyageai.com/v1",
    bodyOf: ({ model, texts, purpose, dimensions }) => ({
      model,
      input: texts,
      input_type: purpose,
      encoding_format: "base64",
      ...(dimensions !== undefined && { output_dimension: dimensions }),
    }),
    unrelatedCosine: 0.3,
  },
}

/** The address of embeddings below a base URL. */
export const endpointOf = (baseUrl: string): string => `${withVersion(baseUrl)}/embeddings`
