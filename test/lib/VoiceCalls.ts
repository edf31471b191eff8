import { expect } from "bun:test"
import { VoiceCall } from "../../src/domain/widget/Widget.ts"
import { type Client, read } from "./Client.ts"
import { type FakeCall, fakeRealtimeKey, type FakeRealtime } from "./FakeRealtime.ts"
import { publish, visit, type VisitorClient } from "./Visitors.ts"

/*
 * Visitors who make realtime calls with a chatbot, at a server that uses a fake of the provider.
 */

export const realtimeSettings = (provider: FakeRealtime) => ({
  RATE_LIMIT: "off",
  DEFAULT_MODEL: "local/extractive",
  OPENAI_BASE_URL: provider.url,
  OPENAI_API_KEY: fakeRealtimeKey,
  REALTIME_MODEL: "gpt-realtime",
  TOOL_PRIVATE_NETWORKS: "127.0.0.1",
})

const voiceAgent = { voice: "marin", vad: { threshold: 0.4 }, model: { max_output_tokens: 300 } }

export const offer =
  "v=0\r\no=- 7 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=sendrecv\r\n"

/** A chatbot that takes calls, and a visitor of it. */
export const callable = async (client: Client, settings: object = {}) => {
  const chatbot = await client.newChatbot({
    settings: { model: "local/extractive", prompt: "You help sailors.", ...settings },
  })
  const reply = await client.patch(`/api/external/chatbot/${chatbot.id}/voice-agent`, { json: voiceAgent })
  expect(reply.status).toBe(200)
  return { chatbot, visitor: await visit(client, await publish(client, chatbot.id)) }
}

export const callsPath = "/voice/calls"
export const postCall = (visitor: VisitorClient, more: object = {}) =>
  visitor.send("POST", callsPath, { sdp: offer, ...more })

/** Calls as a visitor. Returns the call with the provider's side of it. */
export const dialAt = async (
  provider: FakeRealtime,
  visitor: VisitorClient,
  more: object = {},
): Promise<VoiceCall & { readonly call: FakeCall }> => {
  const reply = await postCall(visitor, more)
  expect(reply.status).toBe(201)
  const begun = read(VoiceCall, reply)
  const call = provider.calls.find(({ id }) => id === begun.call_id)
  if (call === undefined) throw new Error("The provider has no such call")
  return { ...begun, call }
}
