import type { SqlClient, Statement } from "effect/sql"
import { queueTests } from "../evaluation/TestTriggers.ts"

/**
 * Clauses of a statement: what searches of the chatbots that `where` chooses find has changed. Every server reads it anew
 * because of the new version, and the chatbots' tests run soon.
 */
export const knowledgeChanged = (sql: SqlClient.SqlClient, where: Statement.Fragment): Statement.Fragment => sql`
  changed as (
    update chatbots set knowledge_version = knowledge_version + 1 where ${where} returning id, organization_id
  ), queued as (${queueTests(sql, sql`select id, organization_id from changed`)})`
