import { execFileSync } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { project } from '../../../packages/jurist/tests/project.js'
import { root } from '../../structure/source.js'
import { inBrowser, isWithoutBrowser, startBrowser, type TestBrowser } from './browser.js'
import { openAt, startView } from './jurist-view.js'
import { goTo } from './open-page.js'

describe.skipIf(isWithoutBrowser)(inBrowser('what people meet first: changes, texts'), () => {
  let browser: TestBrowser
  const problems: string[] = []

  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())

  test('changes are shown after jurist init and jurist run', async () => {
    using made = project()
    expect((await made.jurist('init', 'my-evals', '--template', 'agent')).code).toBe(0)
    const flags = ['-C', 'my-evals']
    expect((await made.jurist('run', ...flags, '--preserve', 'all')).code).toBe(0)
    const viewing = await startView(made, 'latest', ...flags)
    const tab = await openAt(browser, viewing.url, viewing.url.hash, problems)
    await goTo(tab, `${viewing.url.hash}/items/add-readme/1/changes`)
    await tab.getByText('1 file differs').waitFor()
    await tab.getByText('README.md').first().waitFor()
    await viewing.stop()
    expect(problems).toEqual([])
  })

  test('changes are shown after the first program of the README, which has no config', async () => {
    using made = project()
    cpSync(join(root, 'examples/first'), made.directory, {
      recursive: true,
      filter: (path) => !/\/(results|jurist\.config\.yaml)$/.test(path),
    })
    symlinkSync(join(root, 'node_modules'), join(made.directory, 'node_modules'))
    const typescript = join(root, 'node_modules/jiti/lib/jiti-cli.mjs')
    execFileSync(process.execPath, [typescript, 'main.ts'], { cwd: made.directory })
    const viewing = await startView(made, 'latest')
    const tab = await openAt(browser, viewing.url, viewing.url.hash, problems)
    await goTo(tab, `${viewing.url.hash}/items/adder/1/changes`)
    await tab.getByText('1 file differs').waitFor()
    await viewing.stop()
    expect(problems).toEqual([])
  })

  test('of answers that exist, questions, answers and sources are shown after jurist init --template rag', async () => {
    using made = project()
    const flags = ['-C', 'rag']
    expect((await made.jurist('init', 'rag', '--template', 'rag')).code).toBe(0)
    expect((await made.jurist('run', ...flags)).code).toBe(0)
    const viewing = await startView(made, 'latest', ...flags)
    const tab = await openAt(browser, viewing.url, viewing.url.hash, problems)
    const row = tab.getByRole('row', { name: /^descaling/ })
    await row.getByText('How often must the Heron 3 be descaled?').waitFor()
    await row.getByText('Descale it every three months.').waitFor()
    await row.getByRole('link', { name: 'descaling', exact: true }).click()
    await tab.getByText('The kettle weighs 1.1 kg.').waitFor()
    await viewing.stop()
    expect(problems).toEqual([])
  })

  test('changes are shown after the main example of the README', async () => {
    using made = project()
    const flags = ['-C', join(root, 'examples/repair'), '--results', join(made.directory, 'results')]
    const ran = await made.jurist('run', ...flags, '--variant', 'reference', '--item', 'paginate', '--preserve', 'all')
    expect(ran.code).toBe(0)
    const viewing = await startView(made, 'latest', ...flags)
    const tab = await openAt(browser, viewing.url, viewing.url.hash, problems)
    await goTo(tab, `${viewing.url.hash}/items/paginate/1/changes`)
    await tab.getByText('1 file differs').waitFor()
    await viewing.stop()
    expect(problems).toEqual([])
  })
})

test.skipIf(isWithoutBrowser)(
  inBrowser('a run of 5,000 trials opens, scrolls to its end and is searched'),
  async () => {
    using made = project()
    const items = Array.from({ length: 5_000 }, (_, at) => anItem({ itemId: `item-${at}`, passed: at % 7 !== 0 }))
    const run = aResult({ items })
    await fileStore(join(made.directory, 'results'), { sync: false }).save(run)
    const browser = await startBrowser()
    const problems: string[] = []
    const viewing = await startView(made)
    const tab = await openAt(browser, viewing.url, `#/runs/${run.id}`, problems)
    await tab.getByRole('link', { name: 'item-0', exact: true }).waitFor()
    await tab.getByRole('grid').press('End')
    await tab.getByRole('link', { name: 'item-4999', exact: true }).waitFor()
    expect(await tab.getByRole('row').count()).toBeLessThan(200)
    await tab.getByRole('searchbox').fill('item-3777')
    await tab.getByRole('link', { name: 'item-3777', exact: true }).waitFor()
    await viewing.stop()
    await browser.close()
    expect(problems).toEqual([])
  },
)
