import type { Moment, OnStatement } from "./StatementWatch.ts"

/** A statement at which a server is killed. */
export interface StatementPoint {
  readonly moment: Moment
  /** The source of a regular expression that finds the statement. */
  readonly statement: string
  /** Kill this many milliseconds later, at most, and let the statement and its answer pass. */
  readonly within?: number
}

/**
 * What has arrived: words of a streamed reply at a client, an event at a customer's server, or an object at the S3
 * server, which does not answer.
 */
export type Arrival = "delivery" | "object" | "words"

/** A moment in the work of a server at which it is killed. */
export interface KillPoint {
  readonly name: string
  /**
   * A statement on its way to or from the database, or what has arrived elsewhere.
   */
  readonly at: StatementPoint | Arrival
}

/** What happens at the moments at which servers are killed, one after the other. */
export const killPoints: ReadonlyArray<KillPoint> = [
  {
    name: "after the user's message is stored",
    at: { moment: "done", statement: String.raw`insert into sessions\b[^]*insert into messages` },
  },
  { name: "while a reply streams", at: "words" },
  {
    name: "while a checkpoint of a reply is written",
    at: { moment: "sent", statement: "insert into unfinished_replies" },
  },
  {
    name: "between the commit of a reply and that of its answer",
    at: { moment: "done", statement: String.raw`insert into messages\b[^]*'bot', \$` },
  },
  {
    name: "between the commit of an answer and its sending",
    at: { moment: "done", statement: "update idempotency_keys set status" },
  },
  {
    name: "while an uploaded file is written",
    at: { moment: "done", statement: String.raw`insert into blob_garbage \(key, due_at\)\s+select`, within: 6 },
  },
  {
    name: "between the write of a file and the row of its document",
    at: { moment: "before", statement: "insert into documents" },
  },
  {
    name: "inside the transaction that replaces a document",
    at: { moment: "before", statement: "update documents set status = 'queued'" },
  },
  {
    name: "inside the transaction that publishes a document",
    at: { moment: "sent", statement: String.raw`publish_revision\(` },
  },
  {
    name: "inside the transaction that deletes a document",
    at: { moment: "done", statement: "delete from documents where" },
  },
  {
    name: "during the sweep, between deleting a file and forgetting it",
    at: { moment: "before", statement: "delete from blob_garbage where key = any" },
  },
  { name: "while a delivery to a webhook waits for its answer", at: "delivery" },
  {
    name: "between the answer to a delivery and its record",
    at: { moment: "before", statement: "update webhook_deliveries set state" },
  },
]

/** The moments that only a server has which keeps its files in S3. */
export const s3KillPoints: ReadonlyArray<KillPoint> = [
  { name: "between the write of an object and its answer", at: "object" },
]

/** Makes an observer of statements that kills when a point is reached for the nth time. */
export const killAt = (
  { moment, statement, within }: StatementPoint,
  occurrence: number,
  kill: () => void,
): OnStatement => {
  const pattern = new RegExp(statement)
  let left = occurrence
  return (at, text) => {
    if (at !== moment || !pattern.test(text) || --left !== 0) return true
    if (within === undefined) kill()
    else setTimeout(kill, Math.random() * within)
    return within !== undefined || moment === "sent"
  }
}
