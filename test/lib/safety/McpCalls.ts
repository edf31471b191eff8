import { Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { mcp, mcpOfChatbot } from "../../../src/api/Mcp.ts"
import type { Scope } from "../../../src/domain/keys/ApiKey.ts"
import { failures } from "../../../src/domain/Errors.ts"
import { Tools } from "../../../src/http/mcp/McpTools.ts"
import type { Client, Reply } from "../Client.ts"
import { isSchema, type Operation } from "./ApiDocument.ts"
import type { ValidRequest } from "./ValidRequests.ts"

/*
 * Calls of the tools of the Model Context Protocol, each as one request without a session, as if they were operations.
 */

/** The scopes that the tools need, by their names. */
const scopes: Readonly<Record<string, Scope>> = { search_knowledge: "knowledge:read", chat: "chat" }

const schemaOf = (schema: unknown) => (isSchema(schema) ? schema : {})

/** The tools of the Model Context Protocol at both of its addresses, as operations. */
export const mcpOperations: ReadonlyArray<Operation> = [mcp, mcpOfChatbot].flatMap(({ method, params, path }) =>
  Object.values(Tools.tools).map((tool) => {
    const at = path.replace(":chatbotId", "{chatbotId}")
    return {
      name: `${method} ${at} ${tool.name}`,
      method,
      path: at,
      parameters:
        params === undefined
          ? []
          : [{ name: "chatbotId", in: "path" as const, required: true, schema: { format: "uuid" } }],
      body: { mediaType: "application/json", schema: schemaOf(Tool.getJsonSchema(tool)) },
      responses: new Map(),
      needsKey: true,
      needsVisitor: false,
      scope: scopes[tool.name],
      alsoRequires: [],
    }
  }),
)

const VERSION = "2026-07-28"

const Called = Schema.Struct({
  result: Schema.Struct({
    isError: Schema.optionalKey(Schema.Boolean),
    content: Schema.Array(Schema.Struct({ text: Schema.optionalKey(Schema.String) })),
  }),
})
const isCalled = Schema.is(Called)
const readFailure = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ code: Schema.String })))

/** The statuses of failures by their codes. */
const statuses = new Map<string, number>(
  Object.values(failures).map(({ declaration }) => [declaration.code, declaration.status]),
)

/** The status that an operation would have answered with. A tool that the key may not use is refused as unknown. */
const statusOf = ({ body, status }: Reply): number => {
  if (!isCalled(body)) return status === 200 || status === 400 ? 403 : status
  const { content, isError = false } = body.result
  return isError ? (statuses.get(readFailure(content[0]?.text).code) ?? 500) : 200
}

/** Calls the tool with this name. The request's JSON is the tool's arguments. */
export const callTool =
  (name: string) =>
  async (client: Client, { method, path, sent }: ValidRequest): Promise<Reply> => {
    const reply = await client.send(method, path, {
      json: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name,
          arguments: sent.json,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
          },
        },
      },
      headers: {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": VERSION,
        "mcp-method": "tools/call",
        "mcp-name": name,
      },
    })
    return { ...reply, status: statusOf(reply) }
  }
