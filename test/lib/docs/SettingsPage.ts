import { documentation, settings } from "../../../src/Config.ts"
import { engineSettings } from "../../../src/launch.ts"

/*
 * `docs/settings.md`, made of the settings as they are declared.
 */

const introduction = `# Settings

Settings are environment variables; a \`.env\` file works as well. A wrong value stops the start with one line that names the
variable, what it holds and what it may hold. An empty variable counts as absent. Names that are nearly those of settings
are warned of in the log.

No setting is needed: without any, Parley listens on \`127.0.0.1:3000\`, keeps everything below \`./data\` and answers with
sentences of its documents. \`–\` means that there is no default. Whatever is no setting is a constant of the source, with
the reason beside it.`

/** The settings that decide what an installation is. Most people need no others. */
const important: ReadonlySet<string> = new Set([
  "HOST",
  "PUBLIC_URL",
  "TRUSTED_PROXIES",
  "DATA_DIR",
  "DATABASE_URL",
  "SECRETS_KEY",
  "DEFAULT_MODEL",
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
])

const engine = `## Of the engine

Three more variables are Bun's own. They have to be there when the process starts. \`bun run start\` and \`src/parley\` set
them by \`src/launch.ts\`, unless the environment does; \`bun src/main.ts\` starts without, so set them yourself there.`

const code = (value: string | undefined) => (value === undefined ? "–" : `\`${value}\``)

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const tableOf = (described: typeof settings) =>
  table(
    ["Variable", "Default", "Values", "What it does, and when to change it"],
    described.map((one) => [code(one.variable), code(one.default), one.expected, one.description]),
  )

/** The text of `docs/settings.md`. */
export const settingsPage = (): string => {
  const parts = [
    introduction,
    "## The ten that matter",
    "A server for others has the first six of these. A key, or the address of a server of your own, brings a language model.",
    tableOf(settings.filter(({ variable }) => important.has(variable))),
    ...documentation.flatMap((group) => [
      `## ${group.title}`,
      group.introduction,
      tableOf(group.settings.filter(({ variable }) => !important.has(variable))),
    ]),
    engine,
    table(
      ["Variable", "Set to", "Why"],
      engineSettings.map(({ description, value, variable }) => [code(variable), code(value), description]),
    ),
  ]
  return `${parts.join("\n\n")}\n`
}
