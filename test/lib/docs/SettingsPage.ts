import { documentation } from "../../../src/Config.ts"

const before = `# Settings

Settings are environment variables; a \`.env\` file works as well. A wrong value stops the start with one line that names the
variable, what it holds and what it may hold. Names that are nearly those of settings, and settings that have no effect
beside the others, are warned of in the log. \`–\` means absent.

| Variable | Default | Meaning |
|---|---|---|
`

const after = `
## Of the engine

Three more variables are Bun's own. They have to be there when the process starts. \`bun run start\` sets them, so set them
yourself if you start \`bun src/main.ts\` directly:

- \`BUN_CONFIG_MAX_HTTP_REQUESTS=65535\`, the largest value that Bun takes. Its \`fetch\` sends 256 requests at once and silently
  queues the rest, which would make the 257th chat wait for a model that is idle.
- \`BUN_JSC_forceCodeBlockLiveness=1\`. Otherwise each full garbage collection throws away what was compiled more than a minute
  ago, even if it is in constant use, and a busy server spends a tenth of its time on compiling it again.
- \`BUN_JSC_heapGrowthFunctionThresholdInMB=1000000\`. Otherwise, on machines with 16 GB or more, the garbage collector lets the
  heap grow to three times what lives in it instead of twice. With it a busy server takes a tenth less memory and answers
  some 5 % fewer chats per second; \`16384\` is the engine's own value.
`

/** The text of `docs/settings.md`, made from the settings that the server declares. */
export const settingsPage = (): string => {
  const rows = documentation.map(
    ({ variable, default: value, meaning }) =>
      `| \`${variable}\` | ${value === undefined ? "–" : `\`${value}\``} | ${meaning} |\n`,
  )
  return `${before}${rows.join("")}${after}`
}
