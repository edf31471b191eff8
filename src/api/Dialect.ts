/**
 * A family of clients, which decides the form of failures: Parley's own API, OpenAI's, or the Model Context Protocol.
 */
export type Dialect = "parley" | "openai" | "mcp"
