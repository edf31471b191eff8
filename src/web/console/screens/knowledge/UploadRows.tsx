import { RotateCcw, X } from "lucide"
import { formatBytes, plural } from "../../../shared/Format.ts"
import { Badge } from "../../parts/Layout.tsx"
import { IconButton } from "../../parts/Buttons.tsx"
import type { Upload, Uploads } from "./Uploads.ts"

const State = ({ file, state }: Upload) => {
  if (state.is === "failed")
    return (
      <span class="row">
        <Badge kind="bad">Upload failed</Badge>
        <span class="soft small anywhere">{state.reason}</span>
      </span>
    )
  return (
    <span class="row">
      <Badge kind="busy">{state.is === "waiting" ? "Waiting" : "Uploading"}</Badge>
      <progress aria-label={`Upload progress: ${file.name}`} />
    </span>
  )
}

const ROWS = 2

export const UploadRows = ({ uploads }: { readonly uploads: Uploads }) => {
  const all = uploads.all.value
  if (all.length === 0) return null
  const failed = all.filter(({ state }) => state.is === "failed")
  const onTheWay = all.filter(({ state }) => state.is !== "failed")
  const total = uploads.total.value
  const sent = total - all.length
  // As many rows as files are sent at once, so that what stands below moves once, when the last is sent.
  const shown = [...onTheWay.slice(0, total > ROWS ? ROWS : onTheWay.length), ...failed]
  return (
    <ul class="uploads box rows" aria-label="Uploads">
      {onTheWay.length > 0 && total > 1 && (
        <li>
          <strong>Uploading {plural(total, "file")}</strong>
          <span class="soft small number">{`${sent} uploaded`}</span>
          <progress max={total} value={sent} aria-label="Upload progress" />
        </li>
      )}
      {shown.map((each) => (
        <li key={each.id}>
          <span class="ellipsis" dir="auto">
            {each.file.name}
          </span>
          <span class="soft small number">{formatBytes(each.file.size)}</span>
          <State {...each} />
          <span>
            {each.state.is === "failed" && !each.state.isFinal && (
              <IconButton icon={RotateCcw} label={`Retry ${each.file.name}`} onClick={() => uploads.retry(each.id)} />
            )}
            <IconButton
              icon={X}
              label={each.state.is === "failed" ? `Dismiss ${each.file.name}` : `Cancel upload of ${each.file.name}`}
              onClick={() => uploads.remove(each.id)}
            />
          </span>
        </li>
      ))}
    </ul>
  )
}
