const names: Readonly<Record<string, string>> = {
  name: "Name",
  description: "Description",
  slug: "Slug",
  active: "Answers",
  is_public: "Public",
  "personality_config.tone": "Tone",
  "personality_config.style": "Style",
  "settings.model": "Model",
  "settings.fallbackModels": "Fallback models",
  "settings.prompt": "Prompt",
  "settings.greeting": "Greeting",
  "settings.isToolEnabled": "Tools",
  "settings.isRequestUserInfoEnabled": "E-mail request",
  "settings.isSystemMessageEnabled": "System messages of clients",
  "settings.avatar": "Avatar",
}

/** `startCall` → `Start call`. */
const spaced = (path: string): string => {
  const last = (path.split(".").at(-1) ?? path).replaceAll("_", " ").replaceAll(/([a-z])([A-Z])/g, "$1 $2")
  return last.charAt(0).toUpperCase() + last.slice(1).toLowerCase()
}

/** The name of a chatbot's field for people, by its path. */
export const nameOfField = (path: string): string => {
  const own = names[path]
  if (own !== undefined) return own
  if (path.startsWith("voice_widget_config.")) return `Voice: ${spaced(path)}`
  if (path.startsWith("settings.snippet.")) return `Snippet: ${spaced(path)}`
  return spaced(path)
}
