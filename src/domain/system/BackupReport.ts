import { Schema } from "effect"

/** Contents of a finished backup. */
export const BackupReport = Schema.Struct({
  rows: Schema.Int.annotate({ description: "Of all tables." }),
  bytes: Schema.Int.annotate({ description: "Of the tables." }),
  files: Schema.Int.annotate({ description: "Stored files." }),
  file_bytes: Schema.Int.annotate({ description: "Of the stored files." }),
  damaged: Schema.Array(Schema.String).annotate({
    description:
      "Keys of stored files that are not what was uploaded, at most 100. They are in the backup as they are.",
  }),
  missing: Schema.Int.annotate({ description: "Files that the database names and the store does not have." }),
})
export type BackupReport = typeof BackupReport.Type
