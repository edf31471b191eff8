import { createServer } from "node:http"
import { gzipSync, brotliCompressSync, deflateSync, createGzip } from "node:zlib"
import { Duration, Effect, Layer } from "effect"
import { SafeFetch, PageTimeout } from "./src/outbound/SafeFetch.ts"
import { parsePrivateNetworks } from "./src/outbound/PrivateNetworks.ts"
const bomb = gzipSync(Buffer.alloc(200*1024*1024))
console.log("bomb", bomb.length)
let aborted = 0
const server = createServer((q, r) => {
  const u = q.url!
  r.on("close", () => { if (!r.writableFinished) aborted++ })
  if (u === "/gzip") return void r.writeHead(200, {"content-encoding":"gzip", etag: '"x"'}).end(gzipSync("hello gzip"))
  if (u === "/br") return void r.writeHead(200, {"content-encoding":"br"}).end(brotliCompressSync("hello br"))
  if (u === "/deflate") return void r.writeHead(200, {"content-encoding":"deflate"}).end(deflateSync("hello deflate"))
  if (u === "/bomb") return void r.writeHead(200, {"content-encoding":"gzip"}).end(bomb)
  if (u === "/badgzip") return void r.writeHead(200, {"content-encoding":"gzip"}).end("nonsense")
  if (u === "/zstd") return void r.writeHead(200, {"content-encoding":"zstd"}).end("nonsense")
  if (u === "/redirect") return void r.writeHead(302, {location:"/x"}).end("b")
  if (u === "/big") { r.writeHead(200, {"content-length": String(2*1024**3)}); r.write("x"); return }
  if (u === "/endless") { r.writeHead(200); const t = setInterval(() => r.write("x".repeat(100)), 10); r.on("close", () => clearInterval(t)); return }
  if (u === "/chunked") { r.writeHead(200); const c = Buffer.alloc(65536, 97); const go = () => { while (!r.destroyed && r.write(c)); }; r.on("drain", go); go(); return }
  if (u === "/short") { r.writeHead(200, {"content-length": "100"}); r.write("x"); setTimeout(() => r.destroy(), 20); return }
  if (u === "/304") return void r.writeHead(304, {etag:'"y"'}).end()
  if (u === "/never") return
  r.writeHead(404).end("no")
})
await new Promise<void>(f => server.listen(0, "127.0.0.1", f))
const port = (server.address() as any).port
const get = (url: string, more = {}) => SafeFetch.use(({ page }) => page({ url: new URL(url), headers: {"user-agent":"x"}, bytesMax: 1024*1024, ...more }))
for (const p of ["gzip","br","deflate","bomb","badgzip","zstd","redirect","big","endless","chunked","short","304","never","x"]) {
  const t = performance.now()
  const r = await Effect.runPromise(Effect.result(get(`http://x.example:${port}/${p}`)).pipe(Effect.provide(SafeFetch.layer({allowed: parsePrivateNetworks("127.0.0.1")!, resolve: () => Effect.succeed([{address:"127.0.0.1",family:4}]), refusedAfter: Duration.zero})), Effect.provideService(PageTimeout, "400 millis")))
  console.log(p, r._tag, r._tag === "Success" ? [r.success.status, r.success.headers, new TextDecoder().decode(r.success.body).slice(0,30), r.success.received] : [(r.failure as any).reason, (r.failure as any).detail], Math.round(performance.now()-t))
}
const cutr = await Effect.runPromise(get(`http://x.example:${port}/chunked`, {cuts: true, bytesMax: 5000}).pipe(Effect.provide(SafeFetch.layer({allowed: parsePrivateNetworks("127.0.0.1")!, resolve: () => Effect.succeed([{address:"127.0.0.1",family:4}])}))))
console.log("cut", cutr.body.length)
await Bun.sleep(50); console.log("aborted", aborted)
process.exit()
