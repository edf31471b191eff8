import { documentation, settings } from "../../../src/Config.ts"
import { duration, httpUrl, keyValues, limit, rateLimit, size, text } from "../../../src/config/Kinds.ts"
import { engineSettings } from "../../../src/launch.ts"

/*
 * `docs/settings.md`, made of the settings as they are declared.
 */

const introduction = `# Settings

Settings are environment variables, also in a \`.env\` file. None is required. An empty variable counts as absent. A wrong
value stops the start with a message that lists the valid ones. The log warns of misspelled names.

Lists have commas between their values. \`–\` is no default.`

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

const engine = `## Engine settings

\`bun run start\` and \`src/parley\` set three variables of Bun for the process, unless they are there:
${Object.entries(engineSettings)
  .map(([name, value]) => `\`${name}=${value}\``)
  .join(", ")}. With
\`bun src/main.ts\`, set them yourself. They are for many requests at once, and for less work of the garbage collector.`

const code = (value: string | undefined) => (value === undefined ? "–" : `\`${value}\``)

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [
    `| ${head.join(" | ")} |`,
    `|${"---|".repeat(head.length)}`,
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
  ].join("\n")

/** Names of the kinds of values that many settings have, by the values that they expect. */
const kinds = new Map(
  Object.entries({ text, URL: httpUrl, duration, size, limit, rate: rateLimit, pairs: keyValues }).map(
    ([name, kind]) => [kind.orAbsent("", "").about.expected, name],
  ),
)

const valuesOf = (expected: string) =>
  kinds.get(expected) ?? expected.replace(/a whole number from (\d+) to (\d+)/, "$1 to $2").replaceAll("` or `", "`, `")

const tableOf = (described: typeof settings) =>
  table(
    ["Variable", "Default", "Values", "Description"],
    described.map((one) => [code(one.variable), code(one.default), valuesOf(one.expected), one.description]),
  )

/** The text of `docs/settings.md`. */
export const settingsPage = (): string => {
  const parts = [
    introduction,
    table(
      ["Values", "Meaning"],
      Array.from(kinds, ([expected, name]) => [name, expected]),
    ),
    "## Main settings",
    "A server in production has the first six.",
    tableOf(settings.filter(({ variable }) => important.has(variable))),
    ...documentation.flatMap((group) => [
      `## ${group.title}`,
      ...(group.introduction === "" ? [] : [group.introduction]),
      tableOf(group.settings.filter(({ variable }) => !important.has(variable))),
    ]),
    engine,
  ]
  return `${parts.join("\n\n")}\n`
}
