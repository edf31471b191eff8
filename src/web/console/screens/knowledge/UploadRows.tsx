import { RotateCcw, X } from "lucide"
import { formatBytes } from "../../../shared/Format.ts"
import { Badge } from "../../parts/Layout.tsx"
import { IconButton } from "../../parts/Buttons.tsx"
import type { Upload, Uploads } from "./Uploads.ts"

const State = ({ file, state }: Upload) => {
  if (state.is === "failed")
    return (
      <span class="row">
        <Badge kind="bad">Not added</Badge>
        <span class="soft small anywhere">{state.reason}</span>
      </span>
    )
  return (
    <span class="row">
      <Badge kind="busy">{state.is === "waiting" ? "Waiting" : "Sending"}</Badge>
      <progress aria-label={`Progress of sending ${file.name}`} />
    </span>
  )
}

/** The files on their way to the server, and those that did not get there. */
export const UploadRows = ({ uploads }: { readonly uploads: Uploads }) => {
  const all = uploads.all.value
  if (all.length === 0) return null
  return (
    <ul class="uploads box rows" aria-label="Files that are being sent">
      {all.map((each) => (
        <li key={each.id}>
          <span class="ellipsis">{each.file.name}</span>
          <span class="soft small number">{formatBytes(each.file.size)}</span>
          <State {...each} />
          <span>
            {each.state.is === "failed" && !each.state.isFinal && (
              <IconButton
                icon={RotateCcw}
                label={`Send ${each.file.name} again`}
                onClick={() => uploads.retry(each.id)}
              />
            )}
            <IconButton
              icon={X}
              label={each.state.is === "failed" ? `Put ${each.file.name} away` : `Stop sending ${each.file.name}`}
              onClick={() => uploads.remove(each.id)}
            />
          </span>
        </li>
      ))}
    </ul>
  )
}
