import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { alternate, median, root, row, seconds, time, times } from './measure.mjs'

const server = join(root, 'bench/programs/model-server.mjs')
const program = join(root, 'bench/programs/judge-by-model.mjs')

/** Runs `body` with the port of a model on the loopback that answers after `latencyMs`. */
async function withModel(latencyMs, body) {
  const child = spawn(process.execPath, [server, String(latencyMs)], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const [port] = await once(child.stdout, 'data')
    return body(String(port).trim())
  } finally {
    child.stdin.end()
  }
}

function judge(how, port, count, concurrency) {
  return JSON.parse(time([process.execPath, program, how, port, String(count), String(concurrency)]).stdout)
}

/** What does a judge by a model add to the HTTP call it makes, and does it keep a slow model busy? */
export async function modelJudge() {
  return [...(await withModel(0, overhead)), ...(await withModel(100, throughput))]
}

/** Processor time of the process that judges, beside that of the same calls without a judge. */
function overhead(port) {
  const count = 3_000
  const perCall = (how) => () => judge(how, port, count, 10).cpuMs / count
  const [bare, judged, bridged] = alternate(['bare', 'judged', 'bridged'].map(perCall)).map(median)
  const ms = (value) => `${value.toFixed(2)} ms`
  const added = (question, whole) =>
    row(question, `${ms(whole - bare)} beside the bare fetch (${ms(bare)})`, 'at most 0.3 ms', whole - bare <= 0.3)
  return [
    added('a judge by a model, processor time', judged),
    added('the same with openAiCompatibleModel instead of a fetch', bridged),
  ]
}

function throughput(port) {
  const idealMs = 1_000
  const elapsed = (how) => () => judge(how, port, 1_000, 100).elapsedMs
  const [bare, whole] = alternate([elapsed('bare'), elapsed('judged')]).map(median)
  return [
    row(
      '1,000 judgments by a model of 100 ms, 100 at a time',
      `${seconds(whole)}, ${times(whole / idealMs)} the ideal (bare calls ${seconds(bare)})`,
      'at most 1.15 ×',
      whole / idealMs <= 1.15,
    ),
  ]
}
