/** A family of clients, by the form of failures: Parley's own, OpenAI's, or that of the Model Context Protocol. */
export type Dialect = "parley" | "openai" | "mcp"
