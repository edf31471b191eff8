import { Console, Effect } from "effect"
import { SystemSql } from "../../../src/storage/sql/Database.ts"

/** Shows where the bytes of a passage and of a message are, and which relations are the largest. */
export const sizes = Effect.gen(function* () {
  const sql = yield* SystemSql
  const relations = yield* sql<{ name: string; owner: string; bytes: number; each: number }>`
    select r.relname as name, t.relname as owner, pg_relation_size(r.oid)::float8 as bytes,
      pg_relation_size(r.oid) / greatest(1, t.reltuples)::float8 as each
    from pg_class t join lateral (
      select t.oid union all select t.reltoastrelid union all select indexrelid from pg_index
      where indrelid in (t.oid, t.reltoastrelid)
    ) part (oid) on part.oid <> 0 join pg_class r on r.oid = part.oid
    where t.relnamespace = 'public'::regnamespace and t.relkind = 'r' and not starts_with(t.relname, 'bench_')
    order by bytes desc limit 20`
  for (const { bytes, each, name, owner } of relations) {
    yield* Console.log(
      `${(bytes / 2 ** 20).toFixed(0).padStart(8)} MiB  ${each.toFixed(0).padStart(6)} bytes for each row of ${owner}: ${name}`,
    )
  }
  const columns = yield* sql<Record<string, number>>`
    select avg(pg_column_size(c.*))::int as row, avg(pg_column_size(embedding))::int as embedding,
      avg(pg_column_size(lexemes))::int as lexemes, avg(pg_column_size(content))::int as content,
      avg(pg_column_size(sketch))::int as sketch, avg(pg_column_size(title) + pg_column_size(headings))::int as title
    from chunks c tablesample system (0.2)`
  yield* Console.log(`A passage in its row, in bytes: ${JSON.stringify(columns[0])}`)
})
