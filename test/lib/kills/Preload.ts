/*
 * Preloaded into a server with the embedded database, which nothing outside can watch: it reads what goes to and from
 * the thread of the engine. At SIGUSR2, it reads from a file at which statement the process kills itself.
 */
import { readFileSync } from "node:fs"
import { isMainThread, Worker } from "node:worker_threads"
import { killAt } from "./KillPoints.ts"
import { type OnStatement, StatementWatch } from "./StatementWatch.ts"

/** The variable that names the file with `{ point, occurrence }`. */
const FILE = "TEST_KILL_FILE"

let onStatement: OnStatement = () => true

const watchEngine = (file: string): void => {
  const watch = new StatementWatch((moment, statement) => onStatement(moment, statement), true)
  process.on("SIGUSR2", () => {
    const { occurrence, point } = JSON.parse(readFileSync(file, "utf8"))
    onStatement = killAt(point, occurrence, () => process.kill(process.pid, "SIGKILL"))
  })
  const { emit, postMessage } = Worker.prototype
  Worker.prototype.postMessage = function (message, transferred) {
    const send = () => Reflect.apply(postMessage, this, [message, transferred])
    // The first byte of a startup message is zero, as that of its length; those of other messages are letters.
    if (message.kind === "batch" && message.bytes[0] !== 0) watch.request(message.bytes, send)
    else send()
  }
  Worker.prototype.emit = function (event: string | symbol, ...values: ReadonlyArray<unknown>) {
    const bytes = event === "message" ? answerIn(values[0]) : undefined
    let isHeard = true
    const deliver = () => void (isHeard = Reflect.apply(emit, this, [event, ...values]))
    if (bytes === undefined) deliver()
    else watch.answer(bytes, deliver)
    return isHeard
  }
}

/** The bytes of an answer of the engine. */
const answerIn = (message: unknown): Uint8Array | undefined =>
  typeof message === "object" && message !== null && "bytes" in message && message.bytes instanceof Uint8Array
    ? message.bytes
    : undefined

const file = process.env[FILE]
if (isMainThread && file !== undefined) watchEngine(file)
