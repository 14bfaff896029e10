import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { inBrowser, isWithoutBrowser, startBrowser, type TestBrowser } from './browser.js'
import { openAt, type RunningView, startView } from './jurist-view.js'
import { goTo } from './open-page.js'

const filler = Array.from({ length: 30 }, (_, index) => `// line ${index}`).join('\n')

/** An agent that makes a test fail, and a jury that runs the tests. */
const files = {
  'jurist.config.mjs': `import { cascade, consensus, fail, fileExists, jury, testsPass } from 'jurist'
const reads = async ({ workspace }) => {
  const text = await workspace.read('src/orders.js')
  return fail('rounds at the end', {
    checks: [
      { name: 'counts in cents', passed: false, message: 'no cents', location: { path: 'src/orders.js', line: 2 } },
      { name: 'leaves prices alone', passed: false, message: 'no cents', location: { path: 'src/price.js', line: 1 } },
      { name: 'has text', passed: text !== '', message: '' },
    ],
    metadata: { rules: 3 },
  })
}
export default {
  experiments: {
    fix: {
      dataset: 'dataset',
      agent: async ({ workspace }) => {
        const text = await workspace.read('src/orders.js')
        await workspace.write('src/orders.js', text.replace('sum * 1', 'Math.round(sum * 100) / 10'))
        return { status: 'completed', output: { type: 'text', text: 'I **rounded** it.' } }
      },
      jury: cascade([
        { name: 'files', policy: 'reject-on-any-fail', jury: jury({ judges: { orders: fileExists('src/orders.js') } }) },
        { name: 'tests', policy: 'final', jury: jury({
          judges: {
            unit: testsPass.command(['node', '--test', '--test-reporter=tap', 'tests/orders.test.js']),
            reads,
          },
          vote: consensus(),
        }) },
      ]),
    },
  },
}
`,
  'dataset/dataset.json':
    '{"schemaVersion":1,"name":"d","version":"1","items":[{"id":"orders","path":"items/orders"}]}',
  'dataset/items/orders/item.json':
    '{"developerTask":"Count in **cents**.","expectedOutput":"Totals are exact.","metadata":{"difficulty":2}}',
  'dataset/items/orders/before/package.json': '{ "type": "module" }',
  'dataset/items/orders/before/src/price.js': 'export const price = 1.005\n',
  'dataset/items/orders/before/src/orders.js': `${filler}\nexport const total = (sum) => sum * 1\n${filler}\n`,
  'dataset/items/orders/before/tests/orders.test.js': `import assert from 'node:assert/strict'
import test from 'node:test'
import { total } from '../src/orders.js'
test('is what it is', () => assert.equal(typeof total(1), 'number'))
test('counts whole cents', () => assert.equal(total(1.005), 1.01))
`,
}

describe.skipIf(isWithoutBrowser)(inBrowser('why a trial failed'), () => {
  let made: Project
  let viewing: RunningView
  let browser: TestBrowser
  let tab: Page
  let run = ''
  const problems: string[] = []
  const place = (rest = '') => `#/runs/${run}/items/orders/1${rest}`

  beforeAll(async () => {
    made = project(files)
    expect((await made.jurist('run', '--preserve', 'all')).code).toBe(0)
    run = JSON.parse((await made.jurist('list', '--json')).stdout)[0].id
    viewing = await startView(made)
    browser = await startBrowser()
    tab = await openAt(browser, viewing.url, `#/runs/${run}`, problems)
  })
  afterAll(async () => {
    expect(problems).toEqual([])
    await browser?.close()
    await viewing?.stop()
    made?.[Symbol.dispose]()
  })

  test('the failing line of the test runner is one click from the run', async () => {
    await goTo(tab, `#/runs/${run}`)
    await tab.getByRole('link', { name: 'orders' }).first().click()
    const line = tab.locator('.key-line', { hasText: 'not ok 2 - counts whole cents' })
    await line.waitFor()
    expect(await line.isVisible()).toBe(true)
    expect(await tab.locator('.banner').innerText()).toMatch(/^tests\/unit failed: .*counts whole cents/s)
    await tab.getByText('$ node --test --test-reporter=tap tests/orders.test.js').waitFor()
    await tab.getByText('Totals are exact.').waitFor()
    expect(await tab.locator('strong', { hasText: 'rounded' }).count()).toBe(1)
  })

  test('what passed is folded, alike checks are one entry, and the address keeps what the reader opened', async () => {
    await goTo(tab, place())
    expect(await tab.getByText('src/orders.js exists').count()).toBe(1)
    expect(await tab.getByText('file_exists').count()).toBe(0)
    await tab.getByText('2 checks alike').click()
    await tab.getByText('leaves prices alone').waitFor()
    const unit = tab.locator('summary', { hasText: 'unit' })
    await unit.focus()
    await tab.keyboard.press('Enter')
    await tab.locator('.key-line').waitFor({ state: 'detached' })
    await tab.locator('summary', { hasText: 'files' }).click()
    await tab.reload()
    await tab.getByText('leaves prices alone').waitFor()
    await tab.getByText('src/orders.js exists').first().waitFor()
    expect(await tab.locator('.key-line').count()).toBe(0)
    await unit.click()
    await tab.locator('.key-line').waitFor()
  })

  test('a place leads to its line in the changes, with the focus on it, also in a file that did not change', async () => {
    await goTo(tab, place())
    await tab.getByText('2 checks alike').click()
    await tab.getByRole('link', { name: 'src/orders.js:2' }).click()
    const row = tab.locator('tr.place')
    await row.waitFor()
    await expect.poll(() => row.evaluate((one) => one === document.activeElement)).toBe(true)
    expect(await row.innerText()).toContain('// line 1')
    await goTo(tab, place('?toggled=%252Ftests%252Freads%25200'))
    await tab.getByRole('link', { name: 'src/price.js:1' }).click()
    await tab.locator('tr.place', { hasText: 'price = 1.005' }).waitFor()
    await tab.getByText('not among the changes').waitFor()
  })

  test('the changes show the words of a line, open the lines between them, and every file can be read', async () => {
    await goTo(tab, place('/changes'))
    await tab
      .locator('del', { hasText: 'sum' })
      .or(tab.locator('ins', { hasText: 'Math' }))
      .first()
      .waitFor()
    expect(await tab.getByText('// line 3', { exact: true }).count()).toBe(0)
    await tab.getByRole('button', { name: 'Show 27 more lines' }).first().click()
    await tab.getByText('// line 3', { exact: true }).waitFor()
    await tab.getByRole('link', { name: 'Side by side' }).click()
    await tab.locator('.lines.sides').waitFor()
    await tab.getByRole('link', { name: 'All files' }).click()
    await tab.getByRole('link', { name: 'price.js' }).click()
    await tab.getByText('export const price = 1.005').waitFor()
  })

  test('copies the trial as a prompt, which the command prints too', async () => {
    await tab.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await goTo(tab, place())
    await tab.getByRole('button', { name: 'Copy as prompt' }).click()
    await tab.getByText('✓ Copied').waitFor()
    const copied = await tab.evaluate(() => navigator.clipboard.readText())
    const printed = await made.jurist('show', run, 'orders', '--prompt')
    expect(copied).toContain('not ok 2 - counts whole cents')
    expect(copied).toContain('+export const total = (sum) => Math.round(sum * 100) / 10')
    expect(printed.stdout.trimEnd()).toBe(copied.trimEnd())
  })
})
