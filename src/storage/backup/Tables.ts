/*
 * What backups do with each table. A test fails when a migration adds a table that is not listed here.
 */

/** Rule of backups and exports for a table. */
export interface TableRule {
  readonly table: string
  readonly isBackedUp: boolean
  /** Whether the export of an organization has its rows of the table. */
  readonly isExported: boolean
}

const everywhere = (table: string): TableRule => ({ table, isBackedUp: true, isExported: true })
const backedUp = (table: string): TableRule => ({ table, isBackedUp: true, isExported: false })
const leftOut = (table: string): TableRule => ({ table, isBackedUp: false, isExported: false })

/** The rules of all tables. A table comes after those that its foreign keys refer to: rows are restored in this order. */
export const tableRules: ReadonlyArray<TableRule> = [
  everywhere("organizations"),
  everywhere("chatbots"),
  everywhere("api_keys"),
  // Before the replies whose questions they group.
  everywhere("topics"),
  // Before the tests, whose triggers queue runs.
  everywhere("test_queue"),
  everywhere("tests"),
  everywhere("test_plans"),
  everywhere("test_runs"),
  everywhere("test_results"),
  // A document may be that of a source.
  everywhere("sources"),
  everywhere("documents"),
  everywhere("source_runs"),
  everywhere("source_pages"),
  everywhere("source_queue"),
  everywhere("questions"),
  everywhere("question_forms"),
  everywhere("ingestions"),
  everywhere("sessions"),
  everywhere("messages"),
  everywhere("conversation_events"),
  everywhere("attachments"),
  everywhere("chatbot_setups"),
  everywhere("reply_grounds"),
  everywhere("canned_answers"),
  everywhere("chunks"),
  everywhere("chatbot_tools"),
  everywhere("identity_secrets"),
  everywhere("sign_in_providers"),
  everywhere("model_connections"),
  everywhere("people"),
  everywhere("person_roles"),
  everywhere("passkeys"),
  everywhere("usage_entries"),
  everywhere("usage_days"),
  everywhere("audit_log"),
  // After the rows that triggers announce to the webhooks of their organization: an import announces nothing.
  everywhere("webhooks"),
  // An imported organization has no deliveries that wait, since its former server sends those.
  backedUp("webhook_deliveries"),
  backedUp("mail_queue"),
  // The server of an imported organization queues what its own embedding model has not embedded.
  backedUp("reembeddings"),
  // Triggers count what is imported.
  backedUp("holdings"),
  backedUp("holding_entries"),
  // Rows without a reference that keeps them within the organization. They live for minutes or hours.
  backedUp("unfinished_replies"),
  backedUp("idempotency_keys"),
  backedUp("retention_runs"),
  backedUp("topic_runs"),
  // What the servers of one database share.
  backedUp("embedding_setting"),
  backedUp("server_secrets"),
  // Keys of files without an owner, which no backup has.
  leftOut("blob_garbage"),
  leftOut("blob_checks"),
  // A restored database has the files of its backup in a store of its own.
  leftOut("file_stores"),
  // Reports make them anew from the conversations.
  leftOut("folded_days"),
  leftOut("conversation_days"),
  // Unlogged: a crash empties them as well.
  leftOut("chat_reservations"),
  leftOut("conversation_presence"),
  leftOut("crawled_hosts"),
  leftOut("rate_counts"),
  // People who are signed in, or about to be, sign in again.
  leftOut("person_sessions"),
  leftOut("sign_in_attempts"),
  // The processes that are running.
  leftOut("servers"),
  // A restored database has had no backup yet. Its migrations are those of the manifest.
  leftOut("backups"),
  // Tells this database from the one that was backed up.
  leftOut("restorations"),
  leftOut("parley_migrations"),
  leftOut("parley_functions"),
]

/** The columns that name the blobs of a row, with the SHA-256 and the size of the content where the row has them. */
export const blobColumns: ReadonlyArray<{ readonly table: string; readonly key: string; readonly isHashed: boolean }> =
  [
    { table: "documents", key: "blob_key", isHashed: true },
    { table: "ingestions", key: "blob_key", isHashed: true },
    { table: "chatbots", key: "avatar_blob", isHashed: false },
    { table: "attachments", key: "blob_key", isHashed: false },
  ]
