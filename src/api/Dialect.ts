export type Dialect = "parley" | "openai" | "mcp"
