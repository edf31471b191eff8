/*
 * The public API as the tests of the browser need it: to prepare what a page shows, and to compare it with what is
 * stored.
 */

/** What an endpoint answers, as JSON that the caller knows the shape of. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = any

/** Sends requests with an API key, and fails on every answer that is not a success. */
export class Api {
  readonly url: string
  readonly key: string

  constructor(url: string, key: string) {
    this.url = url
    this.key = key
  }

  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const isForm = body instanceof FormData
    const response = await fetch(this.url + path, {
      method,
      headers: {
        "x-api-key": this.key,
        ...(body !== undefined && !isForm && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`)
    return text === "" ? undefined : JSON.parse(text)
  }

  get = (path: string) => this.send("GET", path)
  post = (path: string, body?: unknown) => this.send("POST", path, body)
  patch = (path: string, body: unknown) => this.send("PATCH", path, body)
  delete = (path: string) => this.send("DELETE", path)

  /** Makes a chatbot that the scripted model answers for, and that anybody may embed by its id. */
  async newChatbot(
    input: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly id: string; readonly slug: string }> {
    const { settings, ...rest } = input
    const { chatbot } = await this.post("/api/external/chatbots", {
      name: "Support",
      is_public: true,
      settings: { model: "claude-sonnet-5-5", ...(typeof settings === "object" && settings) },
      ...rest,
    })
    return chatbot
  }

  /** Makes a publishable key of a chatbot for these origins. */
  async publishableKey(
    chatbotId: string,
    origins: ReadonlyArray<string>,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly id: string; readonly key: string }> {
    const { api_key, key } = await this.post("/api/admin/api-keys", {
      kind: "publishable",
      name: "A web site",
      chatbot_id: chatbotId,
      allowed_origins: origins,
      ...more,
    })
    return { id: api_key.id, key }
  }

  /** Uploads documents and waits until they can be searched. */
  async learn(chatbotId: string, files: Readonly<Record<string, string>>): Promise<void> {
    const form = new FormData()
    form.set("chatbotId", chatbotId)
    for (const [name, content] of Object.entries(files)) form.append("files", new File([content], name))
    await this.post("/api/embedfiles", form)
  }

  /** The stored messages of all conversations of a chatbot, the oldest first. */
  async messages(
    chatbotId: string,
  ): Promise<
    ReadonlyArray<{ readonly sender_type: string; readonly content: string; readonly finish_reason: unknown }>
  > {
    const { data } = await this.get(`/api/external/chatbot/${chatbotId}/conversations?limit=100`)
    const all = await Promise.all(
      data.map(({ id }: { readonly id: string }) =>
        this.get(`/api/external/chatbot/${chatbotId}/conversations/${encodeURIComponent(id)}/messages?limit=100`),
      ),
    )
    return all.flatMap((answer) => answer.data)
  }
}
