// How soon does the site show a page, and how soon does its search answer? It needs Debian's Chromium and what
// `npm run docs` installs. Measured in the browser itself: from the start of the navigation to the first contentful paint, and
// from opening the search for the first time to its first result, with loading and reading the index.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { serveSite } from '../site/serve.mjs'
import { median, root, row, time, withDirectory } from './measure.mjs'
import { hasBrowser, startBrowser, timed } from './served-page.mjs'

const rounds = 7

/** First paint of three pages, and the first result of the search, of a freshly built site. */
export async function site() {
  if (!hasBrowser) return [row('the site', 'no Chromium', 'to be installed', false)]
  if (!existsSync(join(root, 'site/node_modules'))) return [row('the site', 'npm run docs', 'to be run first', false)]
  return withDirectory(async (directory) => {
    const out = join(directory, 'site')
    time([process.execPath, join(root, 'site/main.mjs'), '--items', '1', '--out', out])
    const server = await serveSite(out, '/jurist/')
    const browser = await startBrowser()
    try {
      const rows = []
      for (const page of ['index.html', 'guide/judges.html', 'api/core.html']) {
        const paints = []
        for (let round = 0; round < rounds; round++)
          paints.push(await inTab(browser, `${server.origin}/jurist/${page}`, firstPaint))
        rows.push(withinSecond(`first paint of ${page}`, median(paints)))
      }
      const searches = []
      for (let round = 0; round < rounds; round++)
        searches.push(await inTab(browser, `${server.origin}/jurist/guide/judges.html`, firstResult))
      return [...rows, withinSecond('the first result of its search, with loading the index', median(searches))]
    } finally {
      await browser.close()
      await server.close()
    }
  })
}

/** Its own context has an empty cache. */
async function inTab(browser, address, measure) {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 860 } })
  try {
    const tab = await context.newPage()
    await tab.goto(address)
    return await measure(tab)
  } finally {
    await context.close()
  }
}

async function firstPaint(tab) {
  const paint = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime
  return (await tab.waitForFunction(paint)).jsonValue()
}

function firstResult(tab) {
  return timed(tab, async () => {
    await tab.keyboard.press('/')
    await tab.getByRole('combobox').fill('hidden tests')
    await tab.locator('#hits li').first().waitFor()
  })
}

function withinSecond(question, ms) {
  return row(question, `${Math.round(ms)} ms`, 'at most 1 s', ms <= 1_000)
}
