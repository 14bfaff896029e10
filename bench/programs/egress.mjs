// node egress.mjs: prints what an allow-list of bubblewrap costs, as JSON.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bubblewrapSandbox, localWorkspace } from '../../packages/workspace/dist/index.js'

const block = Buffer.alloc(1e6)
const server = createServer((request, response) => {
  const [, count] = /^\/mb\/(\d+)$/.exec(request.url) ?? []
  if (count === undefined)
    return void (request.url === '/slow' ? setTimeout(() => response.end('ok'), 1_000) : response.end('ok'))
  let left = Number(count)
  const write = () => {
    while (left-- > 0) if (!response.write(block)) return response.once('drain', write)
    response.end()
  }
  write()
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address()

// Prints the median time of a small request, of a megabyte, or how many parallel requests were answered.
const client = `
const { get } = require('node:http')
const ask = (path) => new Promise((resolve, reject) => get({ port: ${port}, host: '127.0.0.1', path, agent: false }, (answer) => answer.resume().on('end', resolve)).on('error', reject))
const main = async () => {
  const [, , what, count] = process.argv
  if (what === 'parallel') {
    const answered = await Promise.allSettled(Array.from({ length: Number(count) }, () => ask('/slow')))
    return answered.filter(({ status }) => status === 'fulfilled').length
  }
  const times = []
  for (let index = 0; index < Number(count); index += 1) {
    const startedAt = performance.now()
    await ask(what === 'small' ? '/' : '/mb/50')
    times.push(performance.now() - startedAt)
  }
  return times.sort((one, other) => one - other)[Math.floor(times.length / 2)] / (what === 'small' ? 1 : 50)
}
main().then((value) => console.log(value))
`
const root = mkdtempSync(join(tmpdir(), 'jurist-bench-egress-'))
writeFileSync(join(root, 'client.cjs'), client)
const open = localWorkspace(root)
const listed = () => localWorkspace(root, { sandbox: bubblewrapSandbox({ network: { allow: [`localhost:${port}`] } }) })
const closed = localWorkspace(root, { sandbox: bubblewrapSandbox() })
const said = async (workspace, ...words) => {
  const { stdout, stderr } = await workspace.run(['node', 'client.cjs', ...words], { timeoutMs: 300_000 })
  if (stdout.trim() === '') throw new Error(stderr)
  return Number(stdout)
}
const started = async (workspace) => {
  const startedAt = performance.now()
  await workspace.run('true')
  return performance.now() - startedAt
}
const inTurn = async (one, other, rounds) => {
  const times = [[], []]
  for (let round = 0; round <= rounds; round += 1)
    for (const [at, measure] of [one, other].entries()) {
      const value = await measure()
      if (round > 0) times[at].push(value)
    }
  return times.map((values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)])
}
const request = await inTurn(
  () => said(open, 'small', '200'),
  () => said(listed(), 'small', '200'),
  5,
)
const megabyte = await inTurn(
  () => said(open, 'large', '5'),
  () => said(listed(), 'large', '5'),
  3,
)
const start = await inTurn(
  () => started(closed),
  () => started(listed()),
  9,
)
globalThis.gc?.()
const before = process.memoryUsage().rss
let most = before
const watch = setInterval(() => {
  most = Math.max(most, process.memoryUsage().rss)
}, 50)
const answered = await Promise.all(Array.from({ length: 8 }, () => said(listed(), 'parallel', '125')))
clearInterval(watch)
const parallel = { answered: answered.reduce((sum, one) => sum + one, 0), mb: (most - before) / 1_048_576 }
console.log(JSON.stringify({ request, megabyte, start, parallel }))
server.close()
rmSync(root, { recursive: true, force: true })
