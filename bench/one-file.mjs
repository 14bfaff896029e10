// How large is a report of one file, and how soon does it open? The runs are varied: reasons, answers and outputs of tools
// differ from trial to trial, since equal ones would be compressed away. `jurist view --static` writes the file; Debian's
// Chromium opens it from the disk.
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { fail, pass, verdictFromJson } from '../packages/core/dist/index.js'
import { fileStore } from '../packages/experiment/dist/store/index.js'
import { anItem, aResult } from '../packages/experiment/dist/testing/index.js'
import { root, row, time, withDirectory } from './measure.mjs'
import { randomFrom } from './random.mjs'

const browserPath = '/usr/bin/chromium'
const command = join(root, 'packages/jurist/bin/jurist.js')
const sentences = [
  (n) => `The total of order ${n()} is ${n()} cents; the tests expect ${n()}.`,
  (n) => `src/orders.js:${n()}: expected ${n()} to equal ${n()}`,
  (n) => `${n()} of ${n()} tests passed in ${n()} ms`,
  (n) => `✗ invoices > rounds the tax of position ${n()} (${n()} ms)`,
  (n) => `✓ invoices > adds ${n()} positions (${n()} ms)`,
  (n) => `TypeError: Cannot read properties of undefined (reading 'line${n()}')`,
  (n) => `The answer names the customer and the amount, but not the date of line ${n()}.`,
  () => 'The change keeps the public interface, and its comment says why.',
]

/** Some sentences with random numbers, as reasons and outputs of tests are. */
function prose(random, length) {
  const number = () => Math.floor(random() * 200)
  const sentence = () => sentences[Math.floor(random() * sentences.length)](number)
  return Array.from({ length }, sentence).join('\n')
}

/** A trial with three judges. */
function trial(random, index) {
  const isGood = random() < 0.7
  const judgment = () =>
    isGood ? pass(prose(random, 1)) : fail(prose(random, 2), { score: Math.round(random() * 100) / 100 })
  const individual = { build: pass('it builds'), correct: judgment(), style: judgment() }
  const weights = { build: 1, correct: 1, style: 1 }
  const parts = {
    aggregated: judgment(),
    individual,
    weights,
    subVerdicts: {},
    usage: {},
    elapsedMs: Math.round(random() * 5_000) / 100,
  }
  return anItem({
    itemId: `item-${String(index).padStart(6, '0')}`,
    passed: isGood,
    judged: isGood ? 'pass' : 'fail',
    verdict: verdictFromJson(parts),
    costUsd: Math.round(random() * 1e4) / 1e6,
    durationMs: Math.round(random() * 60_000),
  })
}

/** A journal of a coding agent: calls of tools with what they printed, 100 events. */
function journal(random) {
  const lines = Array.from({ length: 50 }, (_, index) => [
    {
      at: index * 400,
      type: 'tool-call',
      id: `${index}`,
      name: 'Bash',
      input: { command: `npm test -- ${prose(random, 1)}` },
    },
    { at: index * 400 + 200, type: 'tool-result', id: `${index}`, content: prose(random, 4), failed: random() < 0.1 },
  ])
  return `${lines
    .flat()
    .map((event) => JSON.stringify(event))
    .join('\n')}\n`
}

/** Stores a run, with a journal for each trial where `hasJournals`. */
async function stored(results, count, hasJournals) {
  const random = randomFrom(7).uniform
  const items = Array.from({ length: count }, (_, index) => trial(random, index))
  const run = aResult({ experimentName: `trials-${count}`, items })
  const journalPath = (index) => join('journals', `${index}.jsonl`)
  const withPaths = hasJournals ? items.map((item, index) => ({ ...item, journalPath: journalPath(index) })) : items
  await fileStore(results, { sync: false }).save({ ...run, items: withPaths })
  if (!hasJournals) return run.id
  const directory = join(results, run.experimentName, run.id)
  mkdirSync(join(directory, 'journals'), { recursive: true })
  for (const index of items.keys()) writeFileSync(join(directory, journalPath(index)), journal(random))
  return run.id
}

async function opened(file, run) {
  const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const tab = await browser.newPage()
    await tab.goto(`${pathToFileURL(file).href}#/runs/${run}`)
    await tab.waitForSelector('#row-0', { timeout: 300_000 })
    return await tab.evaluate(() => performance.now())
  } finally {
    await browser.close()
  }
}

async function reported(directory, { count, hasJournals, mostMb }) {
  const results = join(directory, String(count))
  const run = await stored(results, count, hasJournals)
  const extras = hasJournals ? ['--with', 'journals'] : []
  const { elapsedMs } = time([
    process.execPath,
    command,
    'view',
    run,
    '--results',
    results,
    '--static',
    results,
    ...extras,
  ])
  const file = join(results, 'index.html')
  const mb = statSync(file).size / 2 ** 20
  const firstRowMs = await opened(file, run)
  const name = `${count.toLocaleString('en-US')} trials${hasJournals ? ' with journals of 100 events' : ''}`
  return row(
    `a report of one file of ${name}; writing it; its first row`,
    `${mb.toFixed(1)} MB; ${(elapsedMs / 1_000).toFixed(1)} s; ${(firstRowMs / 1_000).toFixed(1)} s`,
    `at most ${mostMb} MB`,
    mb <= mostMb,
  )
}

/** The size of a report of one file. */
export async function oneFile() {
  if (!existsSync(browserPath)) return [row('a report of one file', 'no Chromium', 'to be installed', false)]
  return withDirectory(async (directory) => [
    await reported(directory, { count: 720, hasJournals: true, mostMb: 2 }),
    await reported(directory, { count: 100_000, hasJournals: false, mostMb: 10 }),
  ])
}
