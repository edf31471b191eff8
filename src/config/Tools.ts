import { noPrivateNetworks } from "../outbound/PrivateNetworks.ts"
import { TOOL_PRIVATE_NETWORKS } from "../system/Variables.ts"
import { integer, privateNetworks, size } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const chatbotTools = {
  toolsLimit: integer(0, 128).or("TOOLS_LIMIT", "32", "HTTP tools of one chatbot, at most; 0 forbids them."),
}

const safeFetch = {
  responseLimit: size.or(
    "TOOL_RESPONSE_LIMIT",
    "256KiB",
    "Bytes of an HTTP tool's answer that are read, at most. Raise it for tools that answer with long texts.",
  ),
  allowed: privateNetworks
    .orAbsent(
      TOOL_PRIVATE_NETWORKS,
      "Private addresses that HTTP tools may call: CIDRs and host names, with commas between. Everybody who may declare tools can reach them, so allow no more than is needed. Absent: none.",
    )
    .map((networks) => networks ?? noPrivateNetworks),
}

export const tools = {
  title: "HTTP tools",
  introduction: "The HTTP requests that the tools of chatbots may send.",
  sections: { chatbotTools, safeFetch },
} satisfies Group
