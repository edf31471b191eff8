import { connect, type Connection } from "../../data/Models.ts"
import { FormDialog, openDialog, useDraft } from "../../parts/Dialogs.tsx"
import { SelectField, TextField } from "../../parts/Field.tsx"
import { toast } from "../../parts/Toast.ts"
import { TestDialog } from "./TestDialog.tsx"

/** Providers that people have accounts with. */
const titles = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  openrouter: "OpenRouter",
  mistral: "Mistral",
  gemini: "Gemini",
  groq: "Groq",
  other: "Another address",
} as const
type ProviderName = keyof typeof titles

const addresses: Readonly<Record<ProviderName, string>> = {
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com/v1",
  openrouter: "https://openrouter.ai/api/v1",
  mistral: "https://api.mistral.ai/v1",
  gemini: "https://generativelanguage.googleapis.com/v1beta/openai",
  groq: "https://api.groq.com/openai/v1",
  other: "",
}

const apis: Readonly<Record<Connection["api"], string>> = {
  openai: "OpenAI’s chat completions (most servers)",
  anthropic: "Anthropic’s messages",
}

/** Connects a provider by a key, and tests it at once. */
export const ConnectionDialog = () => {
  const { change, draft, of } = useDraft<{
    readonly provider: ProviderName
    readonly name: string
    readonly api: Connection["api"]
    readonly base_url: string
    readonly api_key: string
  }>({ provider: "anthropic", name: "anthropic", api: "anthropic", base_url: addresses.anthropic, api_key: "" })
  const choose = (provider: ProviderName): void =>
    change({
      provider,
      name: provider === "other" ? "" : provider,
      api: provider === "anthropic" ? "anthropic" : "openai",
      base_url: addresses[provider],
    })
  const submit = async (): Promise<void> => {
    const { api, api_key, base_url, name } = draft
    const key = api_key.trim()
    const source = await connect({ name, api, base_url: base_url.trim(), api_key: key === "" ? null : key })
    toast(`${name} saved.`)
    openDialog(<TestDialog source={name} first={source?.models[0]?.model} />)
  }
  const isOther = draft.provider === "other"
  return (
    <FormDialog title="Connect a model" action="Connect" onSubmit={submit}>
      <SelectField label="Provider" value={draft.provider} onValue={choose} options={titles} />
      {isOther && (
        <>
          <TextField
            label="Address"
            type="url"
            placeholder="http://127.0.0.1:8000"
            hint="Of Ollama, vLLM, llama.cpp, LM Studio, Azure or any other server. With /v1 or without."
            {...of("base_url")}
            required
          />
          <TextField
            label="Name"
            placeholder="vllm"
            hint="Stands before the names of its models. Lower-case letters, digits and hyphens."
            {...of("name")}
            maxLength={40}
            spellcheck={false}
            required
          />
          <SelectField label="API" {...of("api")} options={apis} />
        </>
      )}
      <TextField
        label="API key"
        type="password"
        autocomplete="off"
        hint={
          isOther
            ? "Leave empty for a server without keys. Never shown again."
            : "Stored encrypted where the server has a key for that. Never shown again."
        }
        {...of("api_key")}
        required={!isOther}
      />
    </FormDialog>
  )
}
