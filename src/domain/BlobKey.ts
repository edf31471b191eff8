import { Schema } from "effect"

/** Folders of the files that rows own, in the store of blobs. */
export const BLOB_FOLDERS = ["attachments", "avatars", "documents"] as const

/**
 * Key of a file that a row owns: its folder and an id; for an avatar and an attachment its length in bytes, by which it
 * is known to be whole (a document's row has its checksum), and which older keys lack; and for an avatar the extension of
 * its format. The server makes it; no name of a client becomes part of one.
 */
export const BlobKey = Schema.String.check(
  Schema.isPattern(
    new RegExp(`^(?:${BLOB_FOLDERS.join("|")})/[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}(?:\\.\\d+)?(?:\\.[a-z]+)?$`),
  ),
).pipe(Schema.brand("BlobKey"))
export type BlobKey = typeof BlobKey.Type

/** Prefix of the keys in a folder. */
export const blobPrefix = (folder: (typeof BLOB_FOLDERS)[number]): string => `${folder}/`

export const documentKey = (uuid: string): BlobKey => BlobKey.make(`documents/${uuid}`)

/** Makes the key of an attachment's file of this length in bytes. */
export const attachmentKey = (uuid: string, bytes: number): BlobKey => BlobKey.make(`attachments/${uuid}.${bytes}`)

/** Makes the name of an avatar of this length in bytes, such as `01a1f949-589d-74eb-b296-3f233cb51b4b.2048.png`. */
export const avatarName = (uuid: string, bytes: number, extension: string): string => `${uuid}.${bytes}.${extension}`

export const avatarKey = (name: string): BlobKey => BlobKey.make(`avatars/${name}`)

/** Returns the length in bytes of the content with this key, if the key says it. */
export const bytesOf = (key: string): number | undefined => {
  const [, bytes] = /\.(\d+)(?:\.[a-z]+)?$/u.exec(key) ?? []
  return bytes === undefined ? undefined : Number(bytes)
}

const isBlobKey = Schema.is(BlobKey)

/** Whether a name that a client sent can be that of an avatar. */
export const isAvatarName = (name: string): boolean => isBlobKey(`avatars/${name}`)
