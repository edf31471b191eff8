import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { type CallToolResult, CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js"

/** Connects the official MCP client, which other programs use. */
export const connectMcp = async (url: string, headers: Record<string, string>, fetch?: FetchLike) => {
  const mcp = new McpClient({ name: "test", version: "1" })
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    ...(fetch !== undefined && { fetch }),
  })
  // The SDK is compiled without exactOptionalPropertyTypes, so that its transport does not match its own interface.
  await mcp.connect(transport as Transport)
  return { mcp, transport }
}

export const callTool = async (mcp: McpClient, name: string, args: Record<string, unknown>): Promise<CallToolResult> =>
  CallToolResultSchema.parse(await mcp.callTool({ name, arguments: args }))
