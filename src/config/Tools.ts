import { noPrivateNetworks } from "../outbound/PrivateNetworks.ts"
import { TOOL_PRIVATE_NETWORKS } from "../system/Variables.ts"
import { privateNetworks } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const safeFetch = {
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
  sections: { safeFetch },
} satisfies Group
