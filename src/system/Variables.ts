/*
 * Names of environment variables that messages show to the operator, so that a message and the settings cannot
 * disagree. What the variables mean is declared in `config/`.
 */

export const HOST = "HOST"
export const PORT = "PORT"
export const WORKERS = "WORKERS"
export const PUBLIC_URL = "PUBLIC_URL"
export const TRUSTED_PROXIES = "TRUSTED_PROXIES"
export const METRICS_TOKEN = "METRICS_TOKEN"
export const RATE_LIMIT = "RATE_LIMIT"
export const BOOTSTRAP_API_KEY = "BOOTSTRAP_API_KEY"

export const DATA_DIR = "DATA_DIR"
export const DATABASE_URL = "DATABASE_URL"
export const DATABASE_CONNECTIONS = "DATABASE_CONNECTIONS"
export const SECRETS_KEY = "SECRETS_KEY"

export const BLOBS = "BLOBS"
export const S3_ENDPOINT = "S3_ENDPOINT"
export const S3_BUCKET = "S3_BUCKET"
export const S3_REGION = "S3_REGION"
export const S3_ACCESS_KEY_ID = "S3_ACCESS_KEY_ID"
export const S3_SECRET_ACCESS_KEY = "S3_SECRET_ACCESS_KEY"

export const DEFAULT_MODEL = "DEFAULT_MODEL"
export const ANTHROPIC_API_KEY = "ANTHROPIC_API_KEY"
export const ANTHROPIC_BASE_URL = "ANTHROPIC_BASE_URL"
export const OPENAI_API_KEY = "OPENAI_API_KEY"
export const OPENAI_BASE_URL = "OPENAI_BASE_URL"

export const EMBEDDINGS = "EMBEDDINGS"
export const EMBEDDINGS_API_KEY = "EMBEDDINGS_API_KEY"
export const EMBEDDINGS_BASE_URL = "EMBEDDINGS_BASE_URL"
export const EMBEDDINGS_DIMENSIONS = "EMBEDDINGS_DIMENSIONS"
export const EMBEDDINGS_THREADS = "EMBEDDINGS_THREADS"
export const RERANK_URL = "RERANK_URL"
export const RERANK_MODEL = "RERANK_MODEL"
export const RERANK_API_KEY = "RERANK_API_KEY"
export const EXTRACT_SANDBOX = "EXTRACT_SANDBOX"
export const OCR_COMMAND = "OCR_COMMAND"

export const TRANSCRIPTION_MODEL = "TRANSCRIPTION_MODEL"
export const TRANSCRIPTION_BASE_URL = "TRANSCRIPTION_BASE_URL"
export const TRANSCRIPTION_API_KEY = "TRANSCRIPTION_API_KEY"
export const SPEECH_MODEL = "SPEECH_MODEL"
export const SPEECH_BASE_URL = "SPEECH_BASE_URL"
export const SPEECH_API_KEY = "SPEECH_API_KEY"

export const RENDERER_URL = "RENDERER_URL"

export const TOOL_PRIVATE_NETWORKS = "TOOL_PRIVATE_NETWORKS"

/**
 * What to set for a purpose, such as `TOOL_PRIVATE_NETWORKS=10.0.0.0/8`. The console shows these sentences to the
 * operator alone (`forReader`), and tells others whom to ask.
 */
export const howToSet = (purpose: string, ...examples: ReadonlyArray<string>): string =>
  `To ${purpose}, set ${examples.join(" or ")}, then start Parley again.`

/** Variables of the command that tests a chatbot on a running server, which are no settings. */
export const PARLEY_URL = "PARLEY_URL"
export const PARLEY_API_KEY = "PARLEY_API_KEY"
