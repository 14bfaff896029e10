// How soon does the page show a large run? It needs Debian's Chromium (apt-get install chromium), and measures in the
// browser itself: from the start of the navigation to the first contentful paint, and to the first row of the table. The
// server is `jurist view` as it is installed; it has read nothing before the first page, and everything before the second.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, pass, verdictFromJson } from '../packages/core/dist/index.js'
import { fileStore } from '../packages/experiment/dist/store/index.js'
import { anItem, aResult } from '../packages/experiment/dist/testing/index.js'
import { median, row } from './measure.mjs'
import { hasBrowser, serverOf, startBrowser, timed } from './served-page.mjs'

const sentence = 'The total is counted in cents, and the tests of the invoice say so. '

/** A trial with three judges, their reasons, and an answer of about a kilobyte. */
function trial(index) {
  const isGood = index % 3 > 0
  const judgment = isGood ? pass(sentence) : fail(sentence, { score: (index % 100) / 250 })
  const individual = { build: pass('it builds'), correct: judgment, style: judgment }
  const weights = { build: 1, correct: 1, style: 1 }
  const parts = { aggregated: judgment, individual, weights, subVerdicts: {}, usage: {}, elapsedMs: 12 }
  return anItem({
    itemId: `item-${String(index).padStart(6, '0')}`,
    passed: isGood,
    judged: isGood ? 'pass' : 'fail',
    verdict: verdictFromJson(parts),
    scores: { build: 1, correct: isGood ? 1 : (index % 100) / 250, style: isGood ? 1 : 0 },
    costUsd: 0.01,
    detail: {
      kind: 'agent',
      invocation: { status: 'completed', output: { type: 'text', text: `${index} ${sentence.repeat(12)}` } },
    },
  })
}

/** First paint, first row, a jump to the end of the table, a search: for 10,000 and for 100,000 trials. */
export async function viewer() {
  if (!hasBrowser) return [row('the page of a large run', 'no Chromium', 'to be installed', false)]
  const directory = mkdtempSync(join(tmpdir(), 'jurist-bench-viewer-'))
  const browser = await startBrowser()
  try {
    return [
      ...(await shown(browser, directory, 10_000, 1_000)),
      ...(await shown(browser, directory, 100_000, 1_000)),
      ...(await session(browser, directory)),
      ...(await trend(browser, directory)),
    ]
  } finally {
    await browser.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function shown(browser, directory, count, mostMs) {
  const run = aResult({ experimentName: `trials-${count}`, items: Array.from({ length: count }, (_, at) => trial(at)) })
  const results = join(directory, String(count))
  await fileStore(results, { sync: false }).save(run)
  const name = `${count.toLocaleString('en-US')} trials`
  const server = await serverOf(results)
  try {
    const cold = await opened(browser, server.url, run.id)
    const warm = []
    for (let round = 0; round < 5; round++) warm.push(await opened(browser, server.url, run.id))
    const by = (key) => median(warm.map((one) => one[key]))
    const ms = (value) => `${Math.round(value)} ms`
    return [
      row(`first paint of a run of ${name}`, ms(by('paint')), `at most ${mostMs} ms`, by('paint') <= mostMs),
      row(
        `its first row; the first time, with the run still to be read`,
        `${ms(by('rows'))}; ${ms(cold.rows)}`,
        `at most ${mostMs} ms`,
        by('rows') <= mostMs,
      ),
      row(`a jump to its end`, ms(by('end')), 'at most 300 ms', by('end') <= 300),
      row(`a search in all reasons and output`, ms(by('search')), 'at most 1000 ms', by('search') <= 1_000),
    ]
  } finally {
    server.stop()
  }
}

/** The variants of a session side by side, with the tests of every two: six variants of 20,000 trials. */
async function session(browser, directory) {
  const results = join(directory, 'session')
  const store = fileStore(results, { sync: false })
  for (let variant = 0; variant < 6; variant++) {
    const items = Array.from({ length: 20_000 }, (_, index) => trial(index + variant * 7))
    const named = items.map((item, index) => ({ ...item, itemId: `item-${index}`, itemSlug: `item-${index}` }))
    await store.save(aResult({ experimentName: 'large', session: 'sweep', variant: `v${variant}`, items: named }))
  }
  const figures = {
    what: 'the session of six variants of 20,000 trials',
    place: '#/sessions/large/sweep',
    selector: '.pair-test',
  }
  const grid = {
    what: 'the grid of its 20,000 items × 6 variants, widest spread first',
    place: '#/sessions/large/sweep?view=items&sort=spread&order=desc',
    selector: '#row-0 td.grid-cell a',
  }
  return [...(await firstShown(browser, results, figures)), ...(await firstShown(browser, results, grid))]
}

/** The trend of sixty runs of 1,000 trials, with a test of every step. */
async function trend(browser, directory) {
  const results = join(directory, 'trend')
  const store = fileStore(results, { sync: false })
  for (let night = 0; night < 60; night++) {
    const items = Array.from({ length: 1_000 }, (_, index) => trial(index + night * 7))
    const named = items.map((item, index) => ({ ...item, itemId: `item-${index}`, itemSlug: `item-${index}` }))
    const startedAt = new Date(Date.UTC(2026, 8, 1 + night)).toISOString()
    await store.save(aResult({ experimentName: 'nightly', startedAt, items: named }))
  }
  return firstShown(browser, results, {
    what: 'the trend of sixty runs of 1,000 trials',
    place: '#/experiments/nightly',
    selector: 'figure.trend a',
  })
}

/** How soon a view shows what `selector` names: warm, and the first time, with all runs still to be read. */
async function firstShown(browser, results, { what, place, selector }) {
  const server = await serverOf(results)
  const open = async () => {
    const context = await browser.newContext()
    const tab = await context.newPage()
    await tab.goto(`${server.url}${place}`)
    await tab.waitForSelector(selector)
    const ms = await tab.evaluate(() => performance.now())
    await context.close()
    return ms
  }
  try {
    const cold = await open()
    const warm = []
    for (let round = 0; round < 5; round++) warm.push(await open())
    const ms = median(warm)
    return [
      row(`${what}; the first time`, `${Math.round(ms)} ms; ${Math.round(cold)} ms`, 'at most 1000 ms', ms <= 1_000),
    ]
  } finally {
    server.stop()
  }
}

/** Opens a run in a fresh tab, jumps to its end, and searches. */
async function opened(browser, url, run) {
  const context = await browser.newContext()
  const tab = await context.newPage()
  try {
    await tab.goto(`${url}#/runs/${run}`)
    await tab.waitForSelector('#row-0')
    const rows = await tab.evaluate(() => performance.now())
    const paint = await tab.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    )
    const end = await timed(tab, async () => {
      await tab.getByRole('grid').press('End')
      await tab.waitForSelector('tr.at[id]')
    })
    const search = await timed(tab, async () => {
      await tab.getByRole('searchbox').fill('item-0077')
      await tab.waitForFunction(() => document.querySelector('#row-0')?.textContent.includes('item-0077'))
    })
    return { paint, rows, end, search }
  } finally {
    await context.close()
  }
}
