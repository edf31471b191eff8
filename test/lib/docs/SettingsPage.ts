import { documentation } from "../../../src/Config.ts"
import { engineSettings } from "../../../src/launch.ts"

/*
 * `docs/settings.md`, made of the settings as they are declared.
 */

const introduction = `# Settings

Settings are environment variables; a \`.env\` file works as well. A wrong value stops the start with one line that names the
variable, what it holds and what it may hold. An empty variable counts as absent. Names that are nearly those of settings,
and settings that have no effect beside the others, are warned of in the log.

No setting is needed: without any, Parley listens on \`127.0.0.1:3000\`, keeps everything below \`./data\` and answers with
sentences of its documents. \`–\` means that there is no default.`

const engine = `## Of the engine

Three more variables are Bun's own. They have to be there when the process starts. \`bun run start\` and \`src/parley\` set
them by \`src/launch.ts\`, unless the environment does; \`bun src/main.ts\` starts without, so set them yourself there.`

const code = (value: string | undefined) => (value === undefined ? "–" : `\`${value}\``)

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

/** The text of `docs/settings.md`. */
export const settingsPage = (): string => {
  const parts = [
    introduction,
    ...documentation.flatMap((group) => [
      `## ${group.title}`,
      group.introduction,
      table(
        ["Variable", "Default", "Values", "What it does, and when to change it"],
        group.settings.map((one) => [code(one.variable), code(one.default), one.expected, one.description]),
      ),
    ]),
    engine,
    table(
      ["Variable", "Set to", "Why"],
      engineSettings.map(({ description, value, variable }) => [code(variable), code(value), description]),
    ),
  ]
  return `${parts.join("\n\n")}\n`
}
