import { Schema } from "effect"

/** Folders of the files that rows own, in the store of blobs. */
export const BLOB_FOLDERS = ["attachments", "avatars", "documents"] as const

/**
 * Key of a file that a row owns: its folder and an id, and for an avatar the extension of its format. The server makes
 * it; no name of a client becomes part of one.
 */
export const BlobKey = Schema.String.check(
  Schema.isPattern(
    new RegExp(`^(?:${BLOB_FOLDERS.join("|")})/[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}(?:\\.[a-z0-9]+)?$`),
  ),
).pipe(Schema.brand("BlobKey"))
export type BlobKey = typeof BlobKey.Type

/** Prefix of the keys in a folder. */
export const blobPrefix = (folder: (typeof BLOB_FOLDERS)[number]): string => `${folder}/`

/** Makes the key of a document's file. */
export const documentKey = (uuid: string): BlobKey => BlobKey.make(`documents/${uuid}`)

/** Makes the key of an attachment's file. */
export const attachmentKey = (uuid: string): BlobKey => BlobKey.make(`attachments/${uuid}`)

/** Makes the key of an avatar from its name, such as `01a1f949-589d-74eb-b296-3f233cb51b4b.png`. */
export const avatarKey = (name: string): BlobKey => BlobKey.make(`avatars/${name}`)

const isBlobKey = Schema.is(BlobKey)

/** Whether a name that a client sent can be that of an avatar. */
export const isAvatarName = (name: string): boolean => isBlobKey(`avatars/${name}`)
