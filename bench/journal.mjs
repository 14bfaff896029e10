// How soon does the page show the journal of a coding agent, and does it scroll? Measured in the browser, through `jurist view`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileStore } from '../packages/experiment/dist/store/index.js'
import { anItem, aResult } from '../packages/experiment/dist/testing/index.js'
import { median, row } from './measure.mjs'
import { command, hasBrowser, serverOf, startBrowser, timed } from './served-page.mjs'

/** The journal of a trial, of 1,000, of 10,000 and of 337,000 events, the longest that users of Inspect have reported. */
export async function journal() {
  if (!hasBrowser) return [row('the page of a journal', 'no Chromium', 'to be installed', false)]
  const directory = mkdtempSync(join(tmpdir(), 'jurist-bench-journal-'))
  const browser = await startBrowser()
  try {
    return [
      ...(await shown(browser, directory, 1_000)),
      ...(await shown(browser, directory, 10_000)),
      ...(await shown(browser, directory, 337_000, 2_000)),
    ]
  } finally {
    await browser.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

const colours = '\u001b[32m✓\u001b[39m orders > total \u001b[33m3ms\u001b[39m\n'

/** Records of a coding agent: calls with coloured output, of which every hundredth fails, messages and turns. */
function* records(count) {
  const at = (index) => new Date(Date.UTC(2026, 0, 1) + index * 1_700).toISOString()
  for (let index = 0; index < count; index += 4) {
    const failed = index % 400 === 396
    const content = `${failed ? 'Exit code 1\n' : ''}${colours.repeat(17)}`
    yield {
      type: 'text',
      at: at(index),
      text: `I look at **step ${index}**.\n\n- read \`orders.js\`\n- count in cents`,
    }
    yield { type: 'tool-call', at: at(index + 1), id: `${index}`, name: 'Bash', input: { command: 'npm test' } }
    yield { type: 'tool-result', at: at(index + 2), id: `${index}`, failed, content }
    yield { type: 'model-call', at: at(index + 3), model: 'large', usage: { inputTokens: 900, outputTokens: 80 } }
  }
}

/** The journal of a trial: its first row, all of it, the first failure by its key, and scrolling. */
async function shown(browser, directory, count, mostMs = 1_000) {
  const experimentName = `journal-${count}`
  const items = [anItem({ itemId: 'one', journalPath: 'journal/one--1.jsonl' })]
  const run = aResult({ experimentName, items })
  const results = join(directory, experimentName)
  await fileStore(results, { sync: false }).save(run)
  const place = join(results, experimentName, run.id, 'journal')
  mkdirSync(place, { recursive: true })
  const lines = Array.from(records(count), (record) => `${JSON.stringify(record)}\n`).join('')
  writeFileSync(join(place, 'one--1.jsonl'), lines)
  const server = await serverOf(results)
  try {
    const [rounds, times] = [[], count > 100_000 ? 3 : 6]
    for (let round = 0; round < times; round++) rounds.push(await read(browser, server.url, run.id, count))
    const by = (key) => median(rounds.slice(1).map((one) => one[key]))
    const serverMb = residentMb(server.pid)
    const ms = (value) => `${Math.round(value)} ms`
    const name = `a journal of ${count.toLocaleString('en-US')} events`
    return [
      row(
        `first row of ${name}; all of it`,
        `${ms(by('first'))}; ${ms(by('all'))}`,
        `at most ${mostMs} ms`,
        by('first') <= mostMs,
      ),
      row('its first failure, by the key n', ms(by('failure')), 'at most 300 ms', by('failure') <= 300),
      row(
        'rows in the document; a frame while it is scrolled',
        `${by('rows')}; ${ms(by('frame'))}`,
        'at most 100; 50 ms',
        by('rows') <= 100 && by('frame') <= 50,
      ),
      row(
        'memory of the server; of the page',
        `${serverMb} MB; ${Math.round(by('heapMb'))} MB`,
        'at most 400 MB each',
        serverMb <= 400 && by('heapMb') <= 400,
      ),
      ...(count > 100_000 ? [await printed(results)] : []),
    ]
  } finally {
    server.stop()
  }
}

async function read(browser, url, run, count) {
  const context = await browser.newContext()
  const tab = await context.newPage()
  try {
    await tab.goto(`${url}#/runs/${run}/items/one/1/journal`)
    await tab.waitForSelector('.step')
    const first = await tab.evaluate(() => performance.now())
    await tab.waitForFunction(
      (calls) => document.body.textContent.includes(`${calls} tool calls`),
      (count / 4).toLocaleString('en-US'),
    )
    const all = await tab.evaluate(() => performance.now())
    const failure = await timed(tab, async () => {
      await tab.keyboard.press('n')
      await tab.waitForSelector('.step.at .step-failed')
    })
    const { rows, frame } = await tab.evaluate(scrolled)
    const session = await context.newCDPSession(tab)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    return { first, all, failure, rows, frame, heapMb: usedSize / 1e6 }
  } finally {
    await context.close()
  }
}

/** How soon `jurist show --journal` prints its first step, and its last. */
async function printed(results) {
  const rounds = []
  for (let round = 0; round < 3; round++) {
    const startedAt = performance.now()
    const since = () => performance.now() - startedAt
    const argv = [command, 'show', 'latest', 'one', '--journal', '--results', results]
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
    let first
    child.stdout.on('data', (bytes) => {
      if (bytes.includes('step 0')) first ??= since()
    })
    await once(child, 'close')
    rounds.push({ first, all: since() })
  }
  const by = (key) => median(rounds.map((one) => one[key]))
  const figure = `${Math.round(by('first'))} ms; ${Math.round(by('all'))} ms`
  return row('its first step by `show --journal`; all of it', figure, 'at most 2000 ms', by('first') <= 2_000)
}

/** The memory of a process, in megabytes. */
function residentMb(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(kilobytes / 1_000)
}

/** Scrolls by 120 pixels in each of 120 frames. The median time of a frame, and the most rows at any time. */
async function scrolled() {
  const frames = []
  let rows = 0
  let last = await new Promise(requestAnimationFrame)
  for (let times = 0; times < 120; times++) {
    scrollBy(0, 120)
    const now = await new Promise(requestAnimationFrame)
    frames.push(now - last)
    last = now
    rows = Math.max(rows, document.querySelectorAll('.step').length)
  }
  return { rows, frame: frames.sort((one, other) => one - other)[60] }
}
