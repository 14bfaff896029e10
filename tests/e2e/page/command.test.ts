import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { inBrowser, isWithoutBrowser, startBrowser, type TestBrowser } from './browser.js'
import { openAt, type RunningView, startView } from './jurist-view.js'
import { goTo, openTab, runLinks } from './open-page.js'

const items = Array.from({ length: 60 }, (_, index) => `{ id: 'item-${index}', task: 'Say yes.' }`)

/** Every third answer depends on the variant; journals and reasons are coloured, as those of test runners are. */
const config = `import { outputText } from 'jurist'
const agent = (says) => async (task) => {
  await task.record({ type: 'tool-call', id: '1', name: 'Bash', input: { command: 'npm test' } })
  await task.record({ type: 'tool-result', id: '1', content: '\\u001b[31m✗\\u001b[39m orders \\u001b[1m> total\\u001b[22m', failed: true })
  const number = Number(String(task.metadata.itemId).slice(5))
  return { status: 'completed', output: { type: 'text', text: number % 3 === 0 ? says : 'yes' } }
}
export default {
  experiments: {
    demo: {
      dataset: [${items.join(', ')}],
      agent: agent('no'),
      jury: outputText({ equals: 'yes' }),
      variants: { plain: {}, better: { agent: agent('yes') } },
    },
  },
}
`

describe.skipIf(isWithoutBrowser)(inBrowser('the page that jurist view serves'), () => {
  let made: Project
  let browser: TestBrowser
  /** For tests that only read. */
  let viewing: RunningView
  const problems: string[] = []

  beforeAll(async () => {
    made = project({ 'jurist.config.mjs': config })
    expect((await made.jurist('run')).code).toBe(0)
    ;[browser, viewing] = await Promise.all([startBrowser(), startView(made)])
  })
  // A tab that outlives its server asks whichever server gets the port next.
  afterEach(() => browser.close())
  afterAll(async () => {
    await viewing?.stop()
    made?.[Symbol.dispose]()
  })

  const open = (url: URL, place: string) => openAt(browser, url, place, problems)

  test('names what each repetition of a probed item tried', async () => {
    using probed = project({
      'jurist.config.yaml': `experiments:
  sums:
    dataset: [{ id: sum, task: How much is 3 and 4?, expectedOutput: "7" }]
    jury: { type: output-text, contains: "7" }
`,
    })
    await probed.jurist('vet', 'probe', '--probe', 'dump-everything')
    const view = await startView(probed)
    const tab = await openAt(browser, view.url, '#/', [])
    await runLinks(tab).first().click()
    await tab.getByTitle('#3 dump-everything: pass').first().waitFor()
    await tab.getByTitle('#3 dump-everything: pass').first().click()
    await tab.getByText('sum#3 dump-everything').waitFor()
    expect(await tab.getByLabel('Repetitions').getByTitle('reference').textContent()).toContain('#1')
    await view.stop()
  })

  test('keeps what it showed when the server is gone, says so, and comes back by itself', async () => {
    const first = await startView(made, '-C', '.')
    const tab = await open(first.url, '#/')
    await runLinks(tab).first().waitFor()
    await first.stop()
    await tab.getByText('The server has stopped. Start it again: jurist -C . view').waitFor()
    expect(await runLinks(tab).count()).toBe(2)
    const second = await startView(made, '--port', first.url.port)
    expect(second.url.search).toBe(first.url.search)
    await tab.getByText('The server has stopped').waitFor({ state: 'detached' })
    await runLinks(tab).first().click()
    await tab.getByText('of 60 decided').first().waitFor()
    await second.stop()
  })

  test('a reader who goes on while the server is gone sees the new view when it is back', async () => {
    const first = await startView(made)
    const tab = await open(first.url, '#/')
    const runs = runLinks(tab)
    await runs.first().click()
    await tab.getByText('of 60 decided').first().waitFor()
    await tab.locator('#row-3').waitFor()
    await first.stop()
    const asked: string[] = []
    tab.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await tab.goBack()
    await tab.getByText('The server has stopped. Start it again: jurist view').waitFor()
    // All that wait ask for one small file again and again, and not each for its own document.
    await expect.poll(() => asked.filter((path) => path === '/icon.svg').length).toBeGreaterThan(2)
    expect(asked.filter((path) => path === '/api/runs')).toHaveLength(1)
    const second = await startView(made, '--port', first.url.port)
    await tab.getByText('The server has stopped').waitFor({ state: 'detached' })
    await runs.first().waitFor()
    expect(await tab.getByRole('alert').count()).toBe(0)
    await second.stop()
  })

  test('asks for the token of its address, which a reload and links keep', async () => {
    const tab = await open(viewing.url, '#/')
    expect(await runLinks(tab).count()).toBe(2)
    await tab.goto(`${viewing.url.origin}/#/`)
    await tab.reload()
    await runLinks(tab).first().waitFor()
    const stranger = await openTab(browser, {}, [])
    await stranger.goto(`${viewing.url.origin}/#/`)
    await stranger.getByText('Open the address that jurist view printed').waitFor()
  })

  test('saves a run with its journals as one file, which opens without the server', async () => {
    const viewing = await startView(made, 'demo@better')
    const problems: string[] = []
    const tab = await openAt(browser, viewing.url, viewing.url.hash, problems)
    await tab.getByText('Share', { exact: true }).click()
    await tab.getByRole('checkbox', { name: 'With journals' }).check()
    const [download] = await Promise.all([
      tab.waitForEvent('download'),
      tab.getByRole('button', { name: 'Save the file' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^demo-\d{8}T.*\.html$/)
    const file = join(made.directory, 'shared.html')
    await download.saveAs(file)
    await tab.getByText('The file contains what agents were asked').waitFor()
    const run = viewing.url.hash
    await tab.close()
    await viewing.stop()
    const report = await openTab(browser, {}, problems)
    await report.goto(`${pathToFileURL(file).href}${run}`)
    await report.getByText('of 60 decided').first().waitFor()
    expect(await report.getByText('Share', { exact: true }).count()).toBe(0)
    await goTo(report, `${run}/items/item-3/1/journal`)
    await report.getByText('npm test').first().waitFor()
    await goTo(report, `${run}/items/item-3/1/changes`)
    await report.getByText('This report contains no changes.').waitFor()
    expect(problems).toEqual([])
  })

  test('shows what an agent changed without calling the experiment of the config', async () => {
    using coding = project({
      'jurist.config.mjs': `import { appendFileSync } from 'node:fs'
import { fileContent } from 'jurist'
import { openDataset } from '@jurist/experiment/dataset'
export default {
  experiments: {
    fix: async () => {
      appendFileSync('called', 'x')
      return {
        dataset: await openDataset('dataset'),
        agent: async ({ workspace }) => {
          await workspace.write('a.txt', 'new words')
          return { status: 'completed' }
        },
        jury: fileContent('a.txt', { equals: 'new words' }),
      }
    },
  },
}
`,
      'dataset/dataset.json': '{"schemaVersion":1,"name":"d","version":"1","items":[{"id":"a","path":"items/a"}]}',
      'dataset/items/a/item.json': '{"developerTask":"Write."}',
      'dataset/items/a/before/a.txt': 'old words',
    })
    expect((await coding.jurist('run')).code).toBe(0)
    const called = () => readFileSync(join(coding.directory, 'called'), 'utf8')
    const before = called()
    const viewing = await startView(coding)
    const [run] = JSON.parse((await coding.jurist('list', '--json')).stdout)
    const changes = await open(viewing.url, `#/runs/${run.id}/items/a/1/changes`)
    await changes.getByText('old words').waitFor()
    await changes.getByText('new words').waitFor()
    expect(called()).toBe(before)
    await viewing.stop()

    // From elsewhere the record is not believed until a directory is named.
    const results = ['--results', join(coding.directory, 'results')]
    const elsewhere = await startView(made, ...results)
    const closed = await open(elsewhere.url, `#/runs/${run.id}/items/a/1/changes`)
    await closed.getByText('jurist view --source <dir>').waitFor()
    await elsewhere.stop()
    const named = await startView(made, ...results, '--source', join(coding.directory, 'dataset'))
    await (await open(named.url, `#/runs/${run.id}/items/a/1/changes`)).getByText('old words').waitFor()
    await named.stop()
  })

  test('says what the store leaves out of a damaged run', async () => {
    using damaged = project({ 'jurist.config.mjs': config })
    cpSync(join(made.directory, 'results'), join(damaged.directory, 'results'), { recursive: true })
    const [run] = JSON.parse((await damaged.jurist('list', '--json')).stdout)
    const file = join(damaged.directory, 'results/demo', run.id, 'items.jsonl')
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, [...lines.slice(0, 9), (lines[9] ?? '').slice(0, 40), ...lines.slice(10)].join('\n'))
    const viewing = await startView(damaged)
    const tab = await open(viewing.url, `#/runs/${run.id}`)
    await tab.getByRole('region', { name: 'Warnings of the store' }).getByText('items.jsonl').waitFor()
    await viewing.stop()
  })

  test('shows no control sequences, and no blank below a long comparison', async () => {
    const tab = await open(viewing.url, '#/')
    const ids = await runLinks(tab).evaluateAll((links) =>
      links.map((link) => link.getAttribute('href')?.split('/').at(-1) ?? ''),
    )
    const journal = await open(viewing.url, `#/runs/${ids[0]}/items/item-0/1/journal`)
    await journal.getByText('✗ orders > total').waitFor()
    expect(await journal.locator('main').innerText()).not.toContain('[31m')

    const comparison = await open(viewing.url, `#/compare/${ids[0]}/${ids[1]}`)
    const heights = await comparison.evaluate(() => ({
      document: document.documentElement.scrollHeight,
      content: Math.max(
        innerHeight,
        ...[...document.querySelectorAll('main > *')].map((one) => one.getBoundingClientRect().bottom + scrollY),
      ),
    }))
    expect(heights.document).toBeLessThanOrEqual(heights.content + 200)
    await comparison.getByRole('button', { name: /^unchanged 40$/ }).click()
    await comparison.getByText('item-1', { exact: true }).waitFor()
    // The server stops while tabs ask it.
    expect(problems.filter((problem) => !/ERR_(CONNECTION_|EMPTY_RESPONSE)/.test(problem))).toEqual([])
  })
})
